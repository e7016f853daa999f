package overview

// A Duel counts the answers to questions that showed both an arm and the leader, and in which one of the two was the first
// pick.
type Duel struct{ Arm, Chosen, Compared int }

// mostDuelled is the maximum number of shown arms with duels: there is a count for each pair.
const mostDuelled = 1000

// duels counts how often the first arm of a pair was picked in questions that showed both.
type duels map[[2]int]int

// add counts a question. The pick may be none of the shown arms.
func (d duels) add(shown []int, pick int) {
	if pick < 0 || pick >= len(shown) {
		return
	}
	for slot, arm := range shown {
		if slot != pick {
			d[[2]int{shown[pick], arm}]++
		}
	}
}

// against returns the duels of shown arms with the leader.
func (d duels) against(leader int, shown []Count) (list []Duel) {
	if len(shown) > mostDuelled {
		return nil
	}
	for _, c := range shown {
		chosen, lost := d[[2]int{c.Arm, leader}], d[[2]int{leader, c.Arm}]
		if chosen+lost > 0 {
			list = append(list, Duel{c.Arm, chosen, chosen + lost})
		}
	}
	return list
}

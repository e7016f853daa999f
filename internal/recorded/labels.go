package recorded

import "bestpick/choice"

// maxLabels is the largest number of alternatives for which there is a model with constants only.
const maxLabels = 100

// addLabels adds the picks among the names of alternatives, from the alternatives in the matrix.
func (l *longReader) addLabels(c *Choices, place, sizes, ranks, kept []int) {
	names := l.matrix.alternatives.names
	if l.matrix.alternative < 0 || l.matrix.unlabelled || len(names) < 2 || len(names) > maxLabels {
		return
	}
	labels := make([]int, len(ranks))
	for row, numbers := range l.matrix.collected {
		if place[row] >= 0 {
			labels[place[row]] = int(numbers[len(numbers)-1])
		}
	}
	tally, picks, lastTask := choice.NewTally(len(names)), []int(nil), make([]int, len(names))
	first := 0
	for i, size := range sizes {
		for _, label := range labels[first : first+size] {
			if lastTask[label] == i+1 {
				return // two alternatives of a task have the same name
			}
			lastTask[label] = i + 1
		}
		picks = appendPicks(picks[:0], ranks[first:first+size])
		answer := choice.Answer{Question: labels[first : first+size], Picks: picks}
		if tally.AddWeighted(answer, l.tasks[kept[i]].weight) != nil {
			return // the records have the same problem, and explain it
		}
		first += size
	}
	c.Alternatives, c.Labels, c.AllConstants = names, tally, l.matrix.allConstants()
}

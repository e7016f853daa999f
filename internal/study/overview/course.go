package overview

import (
	"slices"
	"time"
)

// A Point is a point of the chart of eliminated arms: the state after a plan.
type Point struct {
	Plan    int
	Answers int
	Rivals  int // arms that may still be better than the leader
	At      time.Time
}

// maxPoints is the number of points that a chart can show.
const maxPoints = 400

// A course is the history of the verdict, thinned to at most twice maxPoints points. It has the
// point of each plan whose number is divisible by every, and of the last plan.
type course struct {
	points []Point
	every  int // distance of two points, in plans
	last   Point
}

// add adds the point of a plan. Plans must be added in order.
func (c *course) add(p Point) {
	if c.last = p; p.Plan%c.every == 0 {
		c.points = append(c.points, p)
	}
}

// next returns the number of the next plan to add, of a study with this number of plans. If the
// course gets too long, next doubles the distance of its points.
func (c *course) next(plans int) int {
	c.every = max(1, c.every)
	for plans/c.every > 2*maxPoints {
		c.every *= 2
		c.points = slices.DeleteFunc(c.points, func(p Point) bool { return p.Plan%c.every != 0 })
	}
	return min((c.last.Plan/c.every+1)*c.every, plans)
}

// drawn returns the points, including the last one.
func (c *course) drawn() []Point {
	points := slices.Clone(c.points)
	if len(points) == 0 || points[len(points)-1].Plan != c.last.Plan {
		points = append(points, c.last)
	}
	return points
}

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

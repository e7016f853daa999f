package overview

import (
	"slices"
	"time"
)

// A Point is what was known after a plan.
type Point struct {
	Plan     int
	Answers  int
	Evidence float64 // the least against a contender: see [study.Verdict.Evidence]
	At       time.Time
}

// maxPoints is how many points of a course are kept: more than that cannot be told apart in a picture.
const maxPoints = 400

// A course is how the evidence went, in at most twice as many points as a picture needs. Every so many plans
// have one, and the last has one in any case.
type course struct {
	points []Point
	every  int // plans, from one point to the next
	last   Point
}

// add takes the point of a plan, later than all before.
func (c *course) add(p Point) {
	if c.last = p; p.Plan%c.every == 0 {
		c.points = append(c.points, p)
	}
}

// next is the number of the plan to be added after those so far, of so many that there are. If that makes too many
// points there are half as many from then on.
func (c *course) next(plans int) int {
	c.every = max(1, c.every)
	for plans/c.every > 2*maxPoints {
		c.every *= 2
		c.points = slices.DeleteFunc(c.points, func(p Point) bool { return p.Plan%c.every != 0 })
	}
	return min((c.last.Plan/c.every+1)*c.every, plans)
}

// drawn are the points, the last one included.
func (c *course) drawn() []Point {
	points := slices.Clone(c.points)
	if len(points) == 0 || points[len(points)-1].Plan != c.last.Plan {
		points = append(points, c.last)
	}
	return points
}

package racing

import (
	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

// leads holds the leader's leads over the arms of an active set, by one fit of θ.
type leads struct {
	activeSet
	survey.Leads

	leader int // the arm
}

// newLeads evaluates an active set at θ̂. The leader is the given arm, or the best one for
// [survey.OpenLeader].
func (c *problem) newLeads(set activeSet, b *evidence.Belief, leader int) leads {
	top := leader
	if leader != survey.OpenLeader {
		top = set.place(leader)
	}
	isWithdrawn := func(place int) bool { return c.isWithdrawn(set.arm(place)) }
	made := survey.NewLeads(set.rows, b, c.epsilon, top, isWithdrawn, set.isRival)
	return leads{activeSet: set, Leads: made, leader: set.arm(made.Top)}
}

// zeroEliminated sets the widths of all arms but the contenders to zero, so that they no longer
// challenge. Without contenders it changes nothing.
func (l *leads) zeroEliminated(contenders []strategy.Standing) {
	var places []int
	for _, s := range contenders {
		places = append(places, l.place(s.Arm))
	}
	l.Keep(places)
}

// unknown returns the standings of all arms that may be better, before any evidence is weighed.
func (l *leads) unknown() []strategy.Standing { return l.Unknown(l.arm) }

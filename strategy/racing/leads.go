package racing

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/evidence"
	"bestpick/strategy"
)

// leads holds the leader's leads over the arms of an active set, by one fit of θ.
type leads struct {
	activeSet

	leader    int       // the arm
	top       int       // its place
	opponents []int     // the place that each place is compared with instead of the leader; nil for the leader
	epsilon   float64   // of the contest
	utilities []float64 // by place
	widths    []float64 // ‖a_b − a_j‖²_{H⁻¹} by place; zero for arms that cannot be better
}

// openLeader leaves the choice of the leader to [contest.newLeads].
const openLeader = -1

// newLeads evaluates an active set at θ̂. The leader is the given arm, or the first of the best
// where that is openLeader. The widths of its copies and of withdrawn arms are zero: neither can be
// better.
func (c *contest) newLeads(set activeSet, b *evidence.Belief, leader int) leads {
	n, d := set.rows.Len(), set.rows.Dim()
	l := leads{activeSet: set, leader: leader, epsilon: c.epsilon, utilities: make([]float64, n), widths: make([]float64, n)}
	top := -1
	for place := range l.utilities {
		l.utilities[place] = set.rows.Utility(place, b.Fitted)
		if !c.isWithdrawn(set.arm(place)) && (top < 0 || l.utilities[place] > l.utilities[top]) {
			top = place
		}
	}
	if leader == openLeader {
		l.leader = set.arm(top)
	}
	l.top = set.place(l.leader)
	g, solved := make([]float64, d), make([]float64, d)
	for place := range l.widths {
		if c.isWithdrawn(set.arm(place)) || !set.isRival(place) {
			continue
		}
		floats.SubTo(g, set.rows.Arm(l.top), set.rows.Arm(place))
		multiply(solved, b.Inverse, g)
		l.widths[place] = floats.Dot(g, solved)
	}
	return l
}

// opponent returns the place that a place is compared with: the leader's, unless Top is set.
func (l *leads) opponent(place int) int {
	if l.opponents == nil {
		return l.top
	}
	return l.opponents[place]
}

// difference returns the features of a place's opponent, the leader, minus those of the arm at the place.
func (l *leads) difference(place int) []float64 { return l.between(pair{l.opponent(place), place}) }

// lead returns the lead of a place's opponent, the leader, over the arm at the place.
func (l *leads) lead(place int) float64 { return l.utilities[l.opponent(place)] - l.utilities[place] }

// z returns Z = (Δ̂+ε)²/(2‖a_b − a_j‖²_{H⁻¹}) of the arm at a place: its distance from being better
// by ε.
func (l *leads) z(place int) float64 {
	lead := l.lead(place) + l.epsilon
	return lead * lead / (2 * l.widths[place])
}

// signal returns the least Z over the arms that may be better than the leader.
func (l *leads) signal() float64 {
	least := math.Inf(1)
	for place, width := range l.widths {
		if width > 0 {
			least = min(least, l.z(place))
		}
	}
	return least
}

// mostDoubtful returns the places of the n arms with the least Z, or of all if they are fewer.
func (l *leads) mostDoubtful(n int) []int {
	best := smallest{size: n}
	for place, width := range l.widths {
		if width > 0 {
			best.offer(place, l.z(place))
		}
	}
	return best.sorted()
}

// zeroEliminated sets the widths of all arms but the contenders to zero, so that they no longer
// challenge. Without contenders it changes nothing.
func (l *leads) zeroEliminated(contenders []strategy.Standing) {
	if len(contenders) == 0 {
		return
	}
	widths := make([]float64, len(l.widths))
	for _, s := range contenders {
		place := l.place(s.Arm)
		widths[place] = l.widths[place]
	}
	l.widths = widths
}

// unknown returns the standings of all arms that may be better, before any evidence is weighed.
func (l *leads) unknown() []strategy.Standing {
	var all []strategy.Standing
	for place, width := range l.widths {
		arm := l.arm(place)
		if arm != l.leader && width > 0 {
			all = append(all, strategy.Standing{Arm: arm, Lead: l.lead(place), Low: -evidence.MaxSpread, High: evidence.MaxSpread})
		}
	}
	sortByLead(all)
	return all
}

func sortByLead(standings []strategy.Standing) {
	slices.SortStableFunc(standings, func(a, b strategy.Standing) int { return cmp.Compare(a.Lead, b.Lead) })
}

// multiply sets dst to the symmetric matrix, row by row, times v.
func multiply(dst, matrix, v []float64) {
	d := len(v)
	for k := range dst {
		dst[k] = floats.Dot(matrix[k*d:(k+1)*d], v)
	}
}

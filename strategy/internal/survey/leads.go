package survey

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// Leads holds the leader's leads over other arms, by one fit of θ. An arm is at a place: its row in
// Rows, which may have only some of the arms of a race.
type Leads struct {
	Rows      *choice.Catalogue // the coordinates of the arms
	Top       int               // the place of the leader
	Opponents []int             // the place that each place is compared with instead of the leader; nil for the leader
	Epsilon   float64           // the largest lead of an arm that is tolerated
	Utilities []float64         // by place
	Widths    []float64         // ‖a_b − a_j‖²_{H⁻¹} by place; zero for arms that cannot be better
}

// OpenLeader leaves the choice of the leader to [NewLeads].
const OpenLeader = -1

// NewLeads evaluates arms at θ̂. The leader is the arm at the given place or, where that is OpenLeader, the first of the best
// that are not withdrawn. The widths of the leader's copies, of withdrawn arms and of arms that are no rivals are zero.
func NewLeads(
	rows *choice.Catalogue, b *evidence.Belief, epsilon float64, leader int, isWithdrawn, isRival func(place int) bool,
) Leads {
	n, d := rows.Len(), rows.Dim()
	l := Leads{Rows: rows, Top: leader, Epsilon: epsilon, Utilities: make([]float64, n), Widths: make([]float64, n)}
	best := -1
	for place := range l.Utilities {
		l.Utilities[place] = rows.Utility(place, b.Fitted)
		if !isWithdrawn(place) && (best < 0 || l.Utilities[place] > l.Utilities[best]) {
			best = place
		}
	}
	if leader == OpenLeader {
		l.Top = best
	}
	g, solved := make([]float64, d), make([]float64, d)
	for place := range l.Widths {
		if isWithdrawn(place) || !isRival(place) {
			continue
		}
		floats.SubTo(g, rows.Arm(l.Top), rows.Arm(place))
		for k := range solved { // of the product, what g does not multiply by zero
			if solved[k] = 0; g[k] != 0 {
				solved[k] = floats.Dot(b.Inverse[k*d:(k+1)*d], g)
			}
		}
		l.Widths[place] = floats.Dot(g, solved)
	}
	return l
}

// Opponent returns the place that a place is compared with.
func (l *Leads) Opponent(place int) int {
	if l.Opponents == nil {
		return l.Top
	}
	return l.Opponents[place]
}

// Between returns the features of the arm at one place minus those of the arm at another.
func (l *Leads) Between(above, below int) []float64 {
	return floats.SubTo(make([]float64, l.Rows.Dim()), l.Rows.Arm(above), l.Rows.Arm(below))
}

// Difference returns the features of a place's opponent minus those of the arm at the place.
func (l *Leads) Difference(place int) []float64 { return l.Between(l.Opponent(place), place) }

// Lead returns the lead of a place's opponent over the arm at the place.
func (l *Leads) Lead(place int) float64 { return l.Utilities[l.Opponent(place)] - l.Utilities[place] }

// Z returns Z = (Δ̂+ε)²/(2‖a_b − a_j‖²_{H⁻¹}) of the arm at a place: its distance from being better by ε.
func (l *Leads) Z(place int) float64 {
	lead := l.Lead(place) + l.Epsilon
	return lead * lead / (2 * l.Widths[place])
}

// Signal returns the least Z over the arms that may be better than the leader.
func (l *Leads) Signal() float64 {
	least := math.Inf(1)
	for place, width := range l.Widths {
		if width > 0 {
			least = min(least, l.Z(place))
		}
	}
	return least
}

// MostDoubtful returns the places of the n arms with the least Z, or of all if they are fewer.
func (l *Leads) MostDoubtful(n int) []int {
	best := Smallest{Size: n}
	for place, width := range l.Widths {
		if width > 0 {
			best.Offer(place, l.Z(place))
		}
	}
	return best.Sorted()
}

// Keep sets the widths of all arms but those at the given places to zero, so that they no longer
// challenge. Without places it changes nothing.
func (l *Leads) Keep(places []int) {
	if len(places) == 0 {
		return
	}
	widths := make([]float64, len(l.Widths))
	for _, place := range places {
		widths[place] = l.Widths[place]
	}
	l.Widths = widths
}

// Unknown returns the standings of all arms that may be better than the leader, by their lead, before any evidence is weighed.
func (l *Leads) Unknown(arm func(place int) int) []strategy.Standing {
	var all []strategy.Standing
	for place, width := range l.Widths {
		if place != l.Top && width > 0 {
			all = append(all, strategy.Standing{Arm: arm(place), Lead: l.Lead(place), Low: -evidence.MaxSpread, High: evidence.MaxSpread})
		}
	}
	SortByLead(all)
	return all
}

// SortByLead sorts standings by the leader's lead over them.
func SortByLead(standings []strategy.Standing) {
	slices.SortStableFunc(standings, func(a, b strategy.Standing) int { return cmp.Compare(a.Lead, b.Lead) })
}

// Multiply sets dst to the symmetric matrix, row by row, times v.
func Multiply(dst, matrix, v []float64) {
	d := len(v)
	for k := range dst {
		dst[k] = floats.Dot(matrix[k*d:(k+1)*d], v)
	}
}

// Smallest keeps the Size offered items with the smallest values. Among equal values it keeps the first.
type Smallest struct {
	Size  int
	items []valued
	limit float64 // the largest value kept, once there are Size items
}

type valued struct {
	item  int
	value float64
}

// Offer adds an item if it is among the smallest so far.
func (s *Smallest) Offer(item int, value float64) {
	if len(s.items) >= s.Size && !(value < s.limit) {
		return
	}
	s.items = append(s.items, valued{item, value})
	if len(s.items) == s.Size || len(s.items) == 2*s.Size {
		s.trim()
	}
}

func (s *Smallest) trim() {
	slices.SortStableFunc(s.items, func(a, b valued) int { return cmp.Compare(a.value, b.value) })
	s.items = s.items[:min(len(s.items), s.Size)]
	s.limit = s.items[len(s.items)-1].value
}

// Sorted returns the items in the order of their values.
func (s *Smallest) Sorted() []int {
	if len(s.items) == 0 {
		return nil
	}
	s.trim()
	items := make([]int, len(s.items))
	for i, v := range s.items {
		items[i] = v.item
	}
	return items
}

// Groups returns the number of groups with options that differ; 1 without a product.
func Groups(p *choice.Product) float64 {
	if p == nil {
		return 1
	}
	count := 0.0
	for _, group := range p.Groups {
		if len(group.Features) > 0 {
			count++
		}
	}
	return count
}

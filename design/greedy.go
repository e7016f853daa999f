package design

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"bestpick/choice"
)

// A Criterion selects the uncertainty that a greedy rule reduces.
type Criterion int

const (
	// XY is max ‖g‖²_{V⁻¹} over the differences g of two active arms (Algorithm 1, line 10).
	XY Criterion = iota

	// G is max ‖a‖²_{V⁻¹} over the active arms (Appendix "Alternative Arm-Selection Strategy").
	G
)

// A TieRule selects one of several arms that do equally well. Ties are frequent: most arms leave
// some other direction at the old maximum.
type TieRule int

const (
	// TiesRandom chooses among tied arms uniformly.
	TiesRandom TieRule = iota

	// TiesSum chooses the tied arm that leaves the smallest sum of the criterion over all directions, and the first among equals.
	TiesSum
)

// choose returns one of several tied arms. taken returns what showing an arm takes from the sum of the criterion.
func (t TieRule) choose(tied []int, rng *rand.Rand, taken func(arm int) float64) int {
	switch {
	case len(tied) == 1:
		return tied[0]
	case t == TiesRandom:
		return tied[rng.IntN(len(tied))]
	}
	best, most := tied[0], taken(tied[0])
	for _, arm := range tied[1:] {
		if x := taken(arm); x > most*(1+tieTolerance) {
			best, most = arm, x
		}
	}
	return best
}

// tieTolerance is the relative difference below which two arms tie.
const tieTolerance = 1e-9

// topDirections is the number of widest directions examined before all others. They nearly always determine the best arm.
const topDirections = 64

// Greedy chooses the arms of a question one by one. Each choice minimises the largest remaining uncertainty,
//
//	argmin_a max_g ‖g‖²_{(V + aa')⁻¹},   ‖g‖²_{(V+aa')⁻¹} = ‖g‖²_{V⁻¹} − (g'V⁻¹a)²/(1 + ‖a‖²_{V⁻¹}),
//
// where g runs over the directions of the criterion among the active arms and a over all arms.
//
// It finds the exact maximum over g without examining all g for every a. Showing an arm shrinks every direction. So once some of
// the widest directions stay wider than all others are now, it can ignore the others.
//
// A Greedy is not safe for concurrent use.
type Greedy struct {
	precision  *Products
	criterion  Criterion
	ties       TieRule
	rng        *rand.Rand
	directions []direction // of the criterion among the active arms
	widths     []float64   // scratch: current widths of the directions
	widest     []int32     // scratch: the widest directions
	values     []float64   // scratch: for each arm, the maximum after showing it
	tied       []int       // scratch
}

// A direction is a_i − a_j, or a_i alone if j is -1.
type direction struct{ i, j int32 }

// NewGreedy returns a rule that starts with all arms active. It draws random ties from rng.
func NewGreedy(precision *Products, criterion Criterion, ties TieRule, rng *rand.Rand) *Greedy {
	g := &Greedy{precision: precision, criterion: criterion, ties: ties, rng: rng, values: make([]float64, precision.n)}
	g.Activate(choice.UpTo(precision.n))
	return g
}

// Activate restricts the directions to those among the given arms: at least two for XY, one for G.
func (g *Greedy) Activate(arms []int) {
	g.directions = g.directions[:0]
	for at, i := range arms {
		if g.criterion == G {
			g.directions = append(g.directions, direction{int32(i), -1})
			continue
		}
		for _, j := range arms[at+1:] {
			g.directions = append(g.directions, direction{int32(i), int32(j)})
		}
	}
	if len(g.directions) == 0 {
		panic("design: no direction among the active arms")
	}
	g.widths = make([]float64, len(g.directions))
	g.widest = g.widest[:0]
	for at := range g.directions[:min(len(g.directions), topDirections)] {
		g.widest = append(g.widest, int32(at))
	}
}

// Uncertainty returns the current value of the criterion: ρ of the paper, max ‖g‖²_{V⁻¹}.
func (g *Greedy) Uncertainty() float64 {
	most := 0.0
	for _, way := range g.directions {
		most = max(most, g.width(way))
	}
	return most
}

// width returns ‖g‖²_{V⁻¹} of a direction.
func (g *Greedy) width(way direction) float64 {
	if way.j < 0 {
		return g.precision.Norm(int(way.i))
	}
	return g.precision.Gap(int(way.i), int(way.j))
}

// Question appends k arms to q, one by one, and counts them as shown. If all would be the same arm,
// the last is the best of the others instead, since a question must offer a choice.
func (g *Greedy) Question(q choice.Question, k int) choice.Question {
	q = slices.Grow(q, k)
	start := len(q)
	for slot := range k {
		except := -1
		if slot == k-1 && !slices.ContainsFunc(q[start:], func(arm int) bool { return arm != q[start] }) {
			except = q[start]
		}
		arm := g.next(except)
		g.precision.Show(arm)
		q = append(q, arm)
	}
	return q
}

// next returns the arm to show next, other than except.
func (g *Greedy) next(except int) int {
	others := g.findWidest()
	// First compute a lower bound for each arm from the widest directions. It is exact if no other direction is as wide even now.
	best := math.Inf(1)
	for arm := range g.values {
		if arm == except {
			g.values[arm] = math.Inf(1)
			continue
		}
		g.values[arm] = g.left(arm)
		if g.values[arm] >= others {
			best = min(best, g.values[arm])
		}
	}
	for arm, bound := range g.values {
		if bound < others && bound <= best*(1+tieTolerance) {
			g.values[arm] = g.leftOfAll(arm)
			best = min(best, g.values[arm])
		}
	}
	g.tied = g.tied[:0]
	for arm, value := range g.values {
		if value <= best*(1+tieTolerance) {
			g.tied = append(g.tied, arm)
		}
	}
	return g.ties.choose(g.tied, g.rng, g.taken)
}

// findWidest computes the widths and sets widest to some directions, the widest first. It returns
// an upper bound on the width of every other direction.
func (g *Greedy) findWidest() (others float64) {
	most := 0.0
	for at, way := range g.directions {
		g.widths[at] = g.width(way)
		most = max(most, g.widths[at])
	}
	for share := 0.5; len(g.directions) > topDirections; share = (1 + share) / 2 {
		others = share * most
		g.widest = g.widest[:0]
		for at, width := range g.widths {
			if width > others {
				g.widest = append(g.widest, int32(at))
			}
		}
		if len(g.widest) <= topDirections || share > 0.999 {
			break
		}
	}
	if len(g.widest) > topDirections { // very many are nearly as wide as the widest
		slices.SortFunc(g.widest, func(a, b int32) int { return cmp.Compare(g.widths[b], g.widths[a]) })
		return others
	}
	// Insertion sort: if all directions are among the widest, the previous order is nearly right.
	for i := 1; i < len(g.widest); i++ {
		at := g.widest[i]
		j := i
		for ; j > 0 && g.widths[g.widest[j-1]] < g.widths[at]; j-- {
			g.widest[j] = g.widest[j-1]
		}
		g.widest[j] = at
	}
	return others
}

// left returns the largest width among the widest directions after showing arm.
func (g *Greedy) left(arm int) float64 {
	row := g.precision.row(arm)
	scale := 1 / (1 + row[arm])
	most := 0.0
	for _, at := range g.widest {
		if g.widths[at] <= most {
			break
		}
		if width := g.widths[at] - scale*square(g.directions[at].of(row)); width > most {
			most = width
		}
	}
	return most
}

// leftOfAll returns the largest width among all directions after showing arm.
func (g *Greedy) leftOfAll(arm int) float64 {
	row := g.precision.row(arm)
	scale := 1 / (1 + row[arm])
	most := 0.0
	for at, way := range g.directions {
		if g.widths[at] > most {
			most = max(most, g.widths[at]-scale*square(way.of(row)))
		}
	}
	return most
}

// taken returns what showing an arm takes from the sum of the widths of all directions.
func (g *Greedy) taken(arm int) float64 {
	row := g.precision.row(arm)
	taken := 0.0
	for _, way := range g.directions {
		taken += square(way.of(row))
	}
	return taken / (1 + row[arm])
}

// of returns g'V⁻¹a for a row of products of an arm a.
func (way direction) of(row []float64) float64 {
	if way.j < 0 {
		return row[way.i]
	}
	return row[way.i] - row[way.j]
}

func square(x float64) float64 { return x * x }

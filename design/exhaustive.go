package design

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"bestpick/choice"
)

// A Criterion says which uncertainty a greedy rule shrinks.
type Criterion int

const (
	// XY is max ‖g‖²_{V⁻¹} over the differences g of two active arms
	// (Algorithm 1, line 10).
	XY Criterion = iota

	// G is max ‖a‖²_{V⁻¹} over the active arms (Appendix "Alternative
	// Arm-Selection Strategy").
	G
)

// A TieRule says which of several arms that do equally well is shown. Ties are the
// rule, not the exception: most arms leave some other direction at the old maximum.
type TieRule int

const (
	// TiesRandom chooses among tied arms uniformly.
	TiesRandom TieRule = iota

	// TiesSum chooses the tied arm that leaves the smallest sum of the criterion
	// over all directions; among equals, the first.
	TiesSum
)

// tieTolerance is the relative difference below which two arms tie.
const tieTolerance = 1e-9

// topDirections is how many of the widest directions are looked at before all
// others: with them the best arm is nearly always settled.
const topDirections = 64

// Greedy picks the arms of a question one by one, each so that after showing it the
// largest remaining uncertainty,
//
//	argmin_a max_g ‖g‖²_{(V + aa')⁻¹},   ‖g‖²_{(V+aa')⁻¹} = ‖g‖²_{V⁻¹} − (g'V⁻¹a)²/(1 + ‖a‖²_{V⁻¹}),
//
// is smallest, g running over the directions of the criterion among the active
// arms and a over all arms.
//
// The maximum over g is exact without going through all g for every a: showing an
// arm shrinks every direction, so once some of the widest directions stay wider
// than all others are now, the others need no look.
type Greedy struct {
	precision  *Precision
	criterion  Criterion
	ties       TieRule
	rng        *rand.Rand
	directions []direction // of the criterion among the active arms
	widths     []float64   // scratch: of the directions as they stand
	widest     []int32     // scratch: the widest directions
	values     []float64   // scratch: for each arm, the maximum it would leave
	tied       []int       // scratch
}

// A direction is a_i − a_j, or a_i alone where j is -1.
type direction struct{ i, j int32 }

// NewGreedy returns a rule that starts with all arms active. Random ties are drawn
// from rng.
func NewGreedy(precision *Precision, criterion Criterion, ties TieRule, rng *rand.Rand) *Greedy {
	g := &Greedy{precision: precision, criterion: criterion, ties: ties, rng: rng, values: make([]float64, precision.n)}
	all := make([]int, precision.n)
	for i := range all {
		all[i] = i
	}
	g.Activate(all)
	return g
}

// Activate restricts the directions to those among the given arms. It takes at
// least two for XY and one for G.
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

// Uncertainty returns the criterion as it stands: ρ of the paper, max ‖g‖²_{V⁻¹}.
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

// Question appends k arms to q, one by one, and counts them as shown. Where all
// would be the same arm, which nobody can choose between, the last is the best of
// the others instead.
func (g *Greedy) Question(q choice.Question, k int) choice.Question {
	q = slices.Grow(q, k)
	start := len(q)
	for slot := range k {
		except := -1
		if slot == k-1 && allSame(q[start:]) {
			except = q[start]
		}
		arm := g.next(except)
		g.precision.Show(arm)
		q = append(q, arm)
	}
	return q
}

func allSame(arms []int) bool {
	return !slices.ContainsFunc(arms, func(arm int) bool { return arm != arms[0] })
}

// next returns the arm to show next, other than except.
func (g *Greedy) next(except int) int {
	others := g.findWidest()
	// First a lower bound for each arm, from the widest directions: the value itself
	// where no other direction is as wide even now.
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
	switch {
	case len(g.tied) == 1:
		return g.tied[0]
	case g.ties == TiesRandom:
		return g.tied[g.rng.IntN(len(g.tied))]
	default:
		return g.smallestSum()
	}
}

// findWidest computes the widths and sets widest to some directions, widest first,
// such that every other one is at most as wide as the number returned.
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
	// Insertion: where all directions are among the widest, the order of last time
	// is nearly right.
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
	row := g.precision.products[arm*g.precision.n : (arm+1)*g.precision.n]
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
	row := g.precision.products[arm*g.precision.n : (arm+1)*g.precision.n]
	scale := 1 / (1 + row[arm])
	most := 0.0
	for at, way := range g.directions {
		if g.widths[at] > most {
			most = max(most, g.widths[at]-scale*square(way.of(row)))
		}
	}
	return most
}

// smallestSum returns the tied arm after which the widths of all directions sum to
// least, which is the one that takes most off them.
func (g *Greedy) smallestSum() int {
	best, most := g.tied[0], math.Inf(-1)
	for _, arm := range g.tied {
		row := g.precision.products[arm*g.precision.n : (arm+1)*g.precision.n]
		taken := 0.0
		for _, way := range g.directions {
			taken += square(way.of(row))
		}
		if taken /= 1 + row[arm]; taken > most*(1+tieTolerance) || math.IsInf(most, -1) {
			best, most = arm, taken
		}
	}
	return best
}

// of returns g'V⁻¹a for a row of products of an arm a.
func (way direction) of(row []float64) float64 {
	if way.j < 0 {
		return row[way.i]
	}
	return row[way.i] - row[way.j]
}

func square(x float64) float64 { return x * x }

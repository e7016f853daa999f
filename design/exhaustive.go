package design

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"bestpick/choice"
)

// topDirections is the number of widest directions examined before all others. They nearly always
// determine the best arm.
const topDirections = 64

// exhaustive is the greedy rule for [Products].
//
// It finds the exact maximum over g without examining all g for every a. Showing an arm shrinks
// every direction. So once some of the widest directions stay wider than all others are now, it can
// ignore the others.
type exhaustive struct {
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

// Activate implements [Greedy].
func (g *exhaustive) Activate(arms []int) {
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
		panic(noDirection)
	}
	g.widths = make([]float64, len(g.directions))
	g.widest = g.widest[:0]
	for at := range g.directions[:min(len(g.directions), topDirections)] {
		g.widest = append(g.widest, int32(at))
	}
}

// Uncertainty implements [Greedy].
func (g *exhaustive) Uncertainty() float64 {
	most := 0.0
	for _, way := range g.directions {
		most = max(most, g.width(way))
	}
	return most
}

// width returns ‖g‖²_{V⁻¹} of a direction.
func (g *exhaustive) width(way direction) float64 {
	if way.j < 0 {
		return g.precision.Norm(int(way.i))
	}
	return g.precision.Gap(int(way.i), int(way.j))
}

// Question implements [Greedy].
func (g *exhaustive) Question(q choice.Question, k int) choice.Question {
	return question(g, q, k)
}

func (g *exhaustive) show(arm int) { g.precision.Show(arm) }

// next returns the arm to show next, other than except.
func (g *exhaustive) next(except int) int {
	others := g.findWidest()
	// First compute a lower bound for each arm from the widest directions. It is exact if no other
	// direction is as wide even now.
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
func (g *exhaustive) findWidest() (others float64) {
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
func (g *exhaustive) left(arm int) float64 {
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
func (g *exhaustive) leftOfAll(arm int) float64 {
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

// taken returns what showing an arm takes from the sum of the widths of all directions.
func (g *exhaustive) taken(arm int) float64 {
	row := g.precision.products[arm*g.precision.n : (arm+1)*g.precision.n]
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

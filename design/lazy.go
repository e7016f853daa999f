package design

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// Limits on the cost of one choice by the lazy rule, in products of two vectors: for each arm, and
// in total. At the limit it takes the best arm found. Only catalogues in which very many directions
// are equally wide come near it.
const (
	effortEach = 64
	effortMin  = 1 << 20
)

// fewOpen is the number of arms in play at which they are examined one by one.
const fewOpen = 16

// sampleEvery is the inverse share of the arms that the search goes through first.
const sampleEvery = 16

// lazy is the greedy rule for very many arms, whose pairwise products do not fit into memory. It
// finds
//
//	argmin_a f(a),   f(a) = max_g w_g(a),   w_g(a) = ‖g‖²_{V⁻¹} − (g'V⁻¹a)²/(1 + ‖a‖²_{V⁻¹}),
//
// by cutting planes. Every arm has a lower bound of f(a), from the directions examined for all arms
// in play. At first that is the widest direction only: one pass. Then it repeats three steps,
//
//   - examine the arm a with the least bound: f(a) is the maximum over the directions in the order
//     of their widths, down to where none can exceed the largest found;
//   - remove arms from play whose bounds exceed the least f(a) seen so far;
//   - raise the bounds of the arms in play by the direction that attains f(a),
//
// until the least bound is attained. With G that is exact, unless the number of directions nearly
// as wide as the widest exceeds the effort for a choice.
//
// With XY there are too many directions. The rule takes those with an end in a small set E of arms,
// which costs one pass for each arm of E. E grows until the pair that attains f_E(a), the maximum
// over these directions, lies in E. Then f(a) ≤ 3·f_E(a): in the metric of (V + aa')⁻¹ let the ends
// of that pair be p and q, and s their distance. All arms lie in the balls around p and q with
// radius s, since both are in E and s² is the maximum. A point x of both balls has, with m the
// middle of p and q, ‖x − m‖² = (‖x − p‖² + ‖x − q‖²)/2 − s²/4 ≤ ¾s², so that two of them are at
// most 2·√¾·s = √3·s apart. As f_E ≤ f, the chosen arm leaves at most three times the least
// possible uncertainty. If E reaches maxEnds arms before, all arms still lie in one ball, and the
// factor is four. In the tests it is 1.02 on average and 1.14 at worst.
//
// The rule keeps no state between questions.
type lazy struct {
	precision *rootPrecision
	criterion Criterion
	ties      TieRule
	rng       *rand.Rand
	active    []int
	inactive  []bool // arms that are not active; empty if all are

	families []family // with XY one for each arm of E, with G one for all arms
	renewals int      // of the norms, when the families were built
	ranking  ranking
	bounds   []float64 // lower bounds of f(a)
	by       []int     // the arm of the direction that gave the bound
	open     []int     // arms in play that are not yet examined
	products []float64 // scratch: of the arms in play
	looked   []look
	best     float64       // the least value of an examined arm
	spent    int           // products so far
	moments  *mat.SymDense // nil until needed
}

// A look is the value of f(a), or a lower bound on it, with the arm of the direction that attains
// it.
type look struct {
	arm   int
	value float64
	by    int
}

func newLazy(precision *rootPrecision, criterion Criterion, ties TieRule, rng *rand.Rand) *lazy {
	n := len(precision.norms)
	return &lazy{
		precision: precision, criterion: criterion, ties: ties, rng: rng,
		bounds: make([]float64, n), by: make([]int, n), products: make([]float64, n),
	}
}

// Activate implements [Greedy].
func (l *lazy) Activate(arms []int) {
	if len(arms) == 0 || l.criterion == XY && len(arms) < 2 {
		panic(noDirection)
	}
	l.active = slices.Clone(arms)
	l.inactive, l.moments = nil, nil
	if n := len(l.bounds); len(arms) < n {
		l.inactive = slices.Repeat([]bool{true}, n)
		for _, arm := range arms {
			l.inactive[arm] = false
		}
	}
	l.families = nil
}

// Uncertainty implements [Greedy]. With XY it is the width of the widest pair found, which is at
// least a third of the largest.
func (l *lazy) Uncertainty() float64 {
	l.families = nil
	return l.survey().width
}

// Question implements [Greedy].
func (l *lazy) Question(q choice.Question, k int) choice.Question {
	l.families = nil
	q = question(l, q, k)
	l.families = nil
	return q
}

// show counts an arm and updates the widths.
func (l *lazy) show(arm int) {
	scale, anew := l.precision.show(arm)
	if anew || l.criterion == G {
		return
	}
	column := l.precision.column
	for _, f := range l.families {
		end := column[f.end]
		for j, x := range column {
			f.widths[j] -= scale * square(x-end)
		}
	}
}

// next returns the arm to show next, other than except.
func (l *lazy) next(except int) int {
	widest := l.survey()
	least := l.boundAll(widest)
	l.ranking.start(l.families, least*(1-tieTolerance), widest.width)
	l.spent = 0
	l.search(except)
	for l.widen() {
		l.search(except)
	}
	tied := make([]int, 0, len(l.looked))
	for _, a := range l.looked {
		if a.value <= l.best*(1+tieTolerance) {
			tied = append(tied, a.arm)
		}
	}
	slices.Sort(tied)
	return l.ties.choose(tied, l.rng, l.taken)
}

// boundAll sets the bounds of all arms by one direction and returns the least.
func (l *lazy) boundAll(way ranked) float64 {
	l.solve(way)
	l.precision.catalogue.Multiply(l.products, l.precision.solved)
	least := way.width
	for arm, norm := range l.precision.norms {
		bound := way.width - square(l.products[arm])/(1+norm)
		l.bounds[arm], l.by[arm] = bound, way.arm
		if bound < least {
			least = bound
		}
	}
	return least
}

// solve computes V⁻¹g of a direction.
func (l *lazy) solve(way ranked) {
	p := l.precision
	g := p.catalogue.Arm(way.arm)
	if way.end >= 0 {
		end := p.catalogue.Arm(way.end)
		for k := range p.gap {
			p.gap[k] = g[k] - end[k]
		}
		g = p.gap
	}
	p.solve(g)
}

// search sets looked to the arms with nearly the least f(a), and best to that least value. It goes
// through a sample of the arms first: the best of the sample removes most others from play at once.
func (l *lazy) search(except int) {
	l.looked, l.best = l.looked[:0], math.Inf(1)
	for _, sample := range []bool{true, false} {
		l.open = l.open[:0]
		limit := l.best * (1 + tieTolerance)
		for arm, bound := range l.bounds {
			if bound <= limit && arm != except && (arm%sampleEvery == 0) == sample {
				l.open = append(l.open, arm)
			}
		}
		l.play()
	}
}

// play examines arms in play until none is left.
func (l *lazy) play() {
	effort := effortEach*len(l.bounds) + effortMin
	for len(l.open) > fewOpen && l.spent < effort/2 {
		bound, way := l.lookAtLeast()
		l.close()
		if l.best <= bound*(1+tieTolerance) {
			break
		}
		l.raise(way)
		l.close()
	}
	slices.SortFunc(l.open, func(a, b int) int { return cmp.Or(cmp.Compare(l.bounds[a], l.bounds[b]), cmp.Compare(a, b)) })
	for _, arm := range l.open {
		if l.bounds[arm] > l.best*(1+tieTolerance) || l.spent > effort && len(l.looked) > 0 {
			break
		}
		l.look(arm)
	}
}

// lookAtLeast examines the arm with the least bound. It returns the bound and the direction that
// attains the value.
func (l *lazy) lookAtLeast() (bound float64, way ranked) {
	least := 0
	for at, arm := range l.open {
		if l.bounds[arm] < l.bounds[l.open[least]] {
			least = at
		}
	}
	arm := l.open[least]
	bound = l.bounds[arm]
	l.open = slices.Delete(l.open, least, least+1)
	return bound, l.look(arm)
}

// close removes arms from play whose bounds exceed the best value.
func (l *lazy) close() {
	limit := l.best * (1 + tieTolerance)
	l.open = slices.DeleteFunc(l.open, func(arm int) bool { return l.bounds[arm] > limit })
}

// raise raises the bounds of the arms in play by one direction.
func (l *lazy) raise(way ranked) {
	l.solve(way)
	l.precision.catalogue.MultiplySome(l.products, l.open, l.precision.solved)
	l.spent += len(l.open)
	for at, arm := range l.open {
		if left := way.width - square(l.products[at])/(1+l.precision.norms[arm]); left > l.bounds[arm] {
			l.bounds[arm], l.by[arm] = left, way.arm
		}
	}
}

// look computes f(a) of an arm, up to the best value, and returns the direction that attains it.
func (l *lazy) look(arm int) (most ranked) {
	c := l.precision.catalogue
	limit := l.best * (1 + tieTolerance)
	scale := 1 / (1 + l.precision.norms[arm])
	for k := 0; l.bounds[arm] <= limit; k++ {
		way, ranked := l.ranking.at(k)
		if way.width <= l.bounds[arm] {
			break
		}
		if k == 0 {
			l.precision.solve(c.Arm(arm))
		}
		if !ranked {
			most = l.lookAtAll(arm, most)
			break
		}
		product := c.Utility(way.arm, l.precision.solved)
		if way.end >= 0 {
			product -= c.Utility(way.end, l.precision.solved)
		}
		l.spent++
		if left := way.width - scale*square(product); left > l.bounds[arm] {
			l.bounds[arm], l.by[arm], most = left, way.arm, way
		}
	}
	l.looked = append(l.looked, look{arm, l.bounds[arm], l.by[arm]})
	l.best = min(l.best, l.bounds[arm])
	return most
}

// lookAtAll examines all directions in one pass, in no order, given V⁻¹a. most is the direction
// that attains the bound so far.
func (l *lazy) lookAtAll(arm int, most ranked) ranked {
	l.precision.catalogue.Multiply(l.products, l.precision.solved)
	l.spent += len(l.products)
	scale, bound := 1/(1+l.precision.norms[arm]), l.bounds[arm]
	for _, f := range l.families {
		shift := 0.0
		if f.end >= 0 {
			shift = l.products[f.end]
		}
		for j, width := range f.widths {
			if width <= bound {
				continue
			}
			if left := width - scale*square(l.products[j]-shift); left > bound {
				bound, most = left, ranked{width, j, f.end}
			}
		}
	}
	if bound > l.bounds[arm] {
		l.bounds[arm], l.by[arm] = bound, most.arm
	}
	return most
}

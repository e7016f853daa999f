package design

import (
	"math/rand/v2"
	"slices"

	"bestpick/choice"
)

// A Criterion selects the uncertainty that a greedy rule reduces.
type Criterion int

const (
	// XY is max ‖g‖²_{V⁻¹} over the differences g of two active arms
	// (Algorithm 1, line 10).
	XY Criterion = iota

	// G is max ‖a‖²_{V⁻¹} over the active arms (Appendix "Alternative
	// Arm-Selection Strategy").
	G
)

// A TieRule selects one of several arms that do equally well. Ties are frequent: most arms leave
// some other direction at the old maximum.
type TieRule int

const (
	// TiesRandom chooses among tied arms uniformly.
	TiesRandom TieRule = iota

	// TiesSum chooses the tied arm that leaves the smallest sum of the criterion over all
	// directions, and the first among equals.
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

// noDirection is the panic message of a greedy rule that has nothing left to shrink.
const noDirection = "design: no direction among the active arms"

// Greedy chooses the arms of a question one by one. Each choice minimises the largest remaining
// uncertainty,
//
//	argmin_a max_g ‖g‖²_{(V + aa')⁻¹},   ‖g‖²_{(V+aa')⁻¹} = ‖g‖²_{V⁻¹} − (g'V⁻¹a)²/(1 + ‖a‖²_{V⁻¹}),
//
// where g runs over the directions of the criterion among the active arms and a over all arms. A
// Greedy is not safe for concurrent use.
type Greedy interface {
	// Activate restricts the directions to those among the given arms: at least two for XY, one for
	// G.
	Activate(arms []int)

	// Uncertainty returns the current value of the criterion: ρ of the paper, max ‖g‖²_{V⁻¹}.
	Uncertainty() float64

	// Question appends k arms to q, one by one, and counts them as shown. If all would be the same
	// arm, the last is the best of the others instead, since a question must offer a choice.
	Question(q choice.Question, k int) choice.Question
}

// NewGreedy returns a rule that starts with all arms active. It draws random ties from rng. Up to
// [MaxProducts] arms it is exact. With more it is exact for G, unless very many arms have nearly the
// same norm. For XY it examines the widest pairs it finds: the remaining uncertainty is at most
// three times the least possible, and in practice about the least.
func NewGreedy(precision Precision, criterion Criterion, ties TieRule, rng *rand.Rand) Greedy {
	var rule Greedy
	var arms int
	switch p := precision.(type) {
	case *Products:
		rule, arms = &exhaustive{precision: p, criterion: criterion, ties: ties, rng: rng, values: make([]float64, p.n)}, p.n
	case *rootPrecision:
		rule, arms = newLazy(p, criterion, ties, rng), len(p.norms)
	default:
		panic("design: a greedy rule needs a precision of NewPrecision")
	}
	all := make([]int, arms)
	for i := range all {
		all[i] = i
	}
	rule.Activate(all)
	return rule
}

// A picker chooses the next arm to show, other than except, and counts it.
type picker interface {
	next(except int) int
	show(arm int)
}

func question(p picker, q choice.Question, k int) choice.Question {
	q = slices.Grow(q, k)
	start := len(q)
	for slot := range k {
		except := -1
		if slot == k-1 && allSame(q[start:]) {
			except = q[start]
		}
		arm := p.next(except)
		p.show(arm)
		q = append(q, arm)
	}
	return q
}

func allSame(arms []int) bool {
	return !slices.ContainsFunc(arms, func(arm int) bool { return arm != arms[0] })
}

func square(x float64) float64 { return x * x }

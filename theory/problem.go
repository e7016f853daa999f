// Package theory computes how many questions a best-arm identification problem needs: upper bounds
// for the strategies of "Pure Exploration with Structured Preference Feedback", and lower bounds
// for any strategy.
//
// A [Problem] is a catalogue with the true θ*, the number K of arms in a question and the error
// probability δ.
//
//   - [Problem.UpperStatic] and [Problem.UpperAdaptive] are the upper bounds of the paper's
//     theorems with their constants, solved for τ.
//   - [Problem.LowerTheorem] is the paper's lower bound, for as many independent arms as features
//     (Theorem 3).
//   - [Problem.CharacteristicTime] is the lower bound for any arms, beyond the paper, with a mix of
//     questions that nearly attains it.
//   - [Problem.Rival] is a lower bound that is cheap to compute, from the arm that is hardest to
//     distinguish from the best.
//
// For example:
//
//	problem := theory.Problem{Catalogue: arms, Theta: theta, K: 3, Delta: 0.05}
//	c, err := problem.CharacteristicTime(theory.Exact, theory.Automatic, 0.01)
//	questions := c.Time * problem.BinaryDivergence() // no strategy needs fewer on average
//
// The bounds assume the model of package choice and the true θ*. They serve to judge a strategy,
// not to run one.
package theory

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/evidence"
)

// A Problem is a best-arm identification problem with the truth, which strategies do not know: the
// tuple (A, θ*, K, δ) of the paper.
type Problem struct {
	Catalogue *choice.Catalogue
	Theta     []float64 // θ*
	K         int       // arms in a question
	Delta     float64   // probability of error allowed
}

// ErrTie reports that two arms are best, so that no number of questions distinguishes them.
var ErrTie = errors.New("two arms are equally good, so no number of questions distinguishes them")

// Check returns an error if the problem is not well defined.
func (p Problem) Check() error {
	switch {
	case len(p.Theta) != p.Catalogue.Dim():
		return fmt.Errorf("θ* must have one coordinate for each feature, got %d coordinates and %d features", len(p.Theta),
			p.Catalogue.Dim())
	case p.Catalogue.Len() < 2:
		return errors.New("there must be at least 2 arms")
	case p.K < 2:
		return fmt.Errorf("a question must show at least 2 arms, got K = %d", p.K)
	case !(p.Delta > 0 && p.Delta < 1):
		return fmt.Errorf("δ must lie between 0 and 1, got %v", p.Delta)
	}
	return nil
}

// tieTolerance is the gap, for utilities of about one, below which rounding decides.
const tieTolerance = 1e-12

// gaps returns the best arm, the first of several, and its lead over each arm: Δ_1j of the paper.
// The gap of the best arm, and of an equally good one, is zero.
func (p Problem) gaps() (best int, gaps []float64) {
	utilities := make([]float64, p.Catalogue.Len())
	for arm := range utilities {
		utilities[arm] = p.Catalogue.Utility(arm, p.Theta)
		if utilities[arm] > utilities[best] {
			best = arm
		}
	}
	gaps = utilities
	top := utilities[best]
	for arm, u := range utilities {
		if gaps[arm] = top - u; gaps[arm] <= tieTolerance*max(1, math.Abs(top)) {
			gaps[arm] = 0
		}
	}
	return best, gaps
}

// twoSmallest returns the smallest gap of an arm other than the best, Δ_min, and the next.
func twoSmallest(best int, gaps []float64) (first, second float64) {
	first, second = math.Inf(1), math.Inf(1)
	for arm, gap := range gaps {
		switch {
		case arm == best:
		case gap < first:
			first, second = gap, first
		case gap < second:
			second = gap
		}
	}
	return first, second
}

// LogError returns log(1/(2.4·δ)), the evidence needed on average (Lemma 1), or 0 if δ is so large
// that none is.
func (p Problem) LogError() float64 { return max(0, -math.Log(2.4*p.Delta)) }

// BinaryDivergence returns the divergence of two coins that land heads with probability δ and 1−δ,
//
//	kl(δ, 1−δ) = (1 − 2δ)·log((1−δ)/δ),
//
// or 0 if δ is 1/2 or more. It is the evidence that a strategy needs on average before
// [Problem.LogError] rounds it down: a strategy that errs with probability at most δ under θ* and
// under an alternative returns the best arm of θ* with probability at least 1−δ under one and at
// most δ under the other, and its answers distinguish the two at least as well as that one event
// does. So T*·kl(δ, 1−δ) bounds the average number of questions from below under the same
// conditions as T*·log(1/(2.4δ)), and is larger.
//
// See Kaufmann, Cappé and Garivier, "On the Complexity of Best-Arm Identification in Multi-Armed
// Bandit Models" (JMLR 2016), Lemma 1 and equation 3, and Garivier and Kaufmann, "Optimal Best Arm
// Identification with Fixed Confidence" (COLT 2016), Theorem 1.
func (p Problem) BinaryDivergence() float64 {
	return max(0, 1-2*p.Delta) * (math.Log1p(-p.Delta) - math.Log(p.Delta))
}

// Kappa returns the largest κ with F ⪰ κV at θ* for the first thousand questions of the static
// strategy, where the paper sets 0.5. It is an upper bound on the κ of Assumption 1, which is over
// a ball around θ*, and may decrease with more questions. It needs at most [design.MaxProducts] arms.
func (p Problem) Kappa() (float64, error) {
	const (
		questions = 1000
		maxForXY  = 200  // arms; searching the widest of all pairs is too slow beyond
		mu        = 1e-4 // as in the paper, in units of the longest arm
	)
	if n := p.Catalogue.Len(); n > design.MaxProducts {
		return 0, fmt.Errorf("κ is computed for at most %d arms, got %d", design.MaxProducts, n)
	}
	scaled, _, err := design.Scale(p.Catalogue)
	if err != nil {
		return 0, err
	}
	criterion := design.XY
	if p.Catalogue.Len() > maxForXY {
		criterion = design.G
	}
	rule := design.NewGreedy(design.NewProducts(scaled, mu), criterion, design.TiesRandom, rand.New(rand.NewPCG(1, 1)))
	tally := choice.NewTally(p.Catalogue.Len())
	var q choice.Question
	for range questions {
		q = rule.Question(q[:0], p.K)
		if err := tally.Add(choice.Answer{Question: q, Picks: []int{0}}); err != nil {
			return 0, err
		}
	}
	return evidence.KappaAt(p.Catalogue, tally, p.Theta), nil
}

// arms are the arms of a problem in convenient coordinates: softmax depends on differences of arms
// only, so they are whitened, with the best arm at the origin. Neither T* nor an alternative
// depends on the coordinates.
type arms struct {
	form      Form
	k         int
	best      int
	gaps      []float64
	utilities []float64 // minus that of the best arm
	rows      [][]float64
	rank      int
}

func newArms(p Problem, form Form) (*arms, error) {
	a := &arms{form: form, k: p.K}
	a.best, a.gaps = p.gaps()
	if smallest, _ := twoSmallest(a.best, a.gaps); smallest == 0 {
		return nil, ErrTie
	}
	white, err := choice.Whiten(p.Catalogue)
	if err != nil {
		return nil, err
	}
	a.rank = white.Dim()
	for i := range white.Len() {
		a.utilities = append(a.utilities, -a.gaps[i])
		row := make([]float64, a.rank)
		floats.SubTo(row, white.Arm(i), white.Arm(a.best))
		a.rows = append(a.rows, row)
	}
	return a, nil
}

// shares returns the probabilities of the picks from a question.
func (a *arms) shares(q choice.Question, p []float64) []float64 {
	p = p[:0]
	for _, arm := range q {
		p = append(p, a.utilities[arm])
	}
	return choice.Probabilities(p, p)
}

// rate returns the rate at which answers to a question distinguish θ* from shifted utilities.
func (a *arms) rate(q choice.Question, shifts []float64) float64 {
	var shares, shown [16]float64 // no allocation for the usual K
	v := shown[:0]
	for _, arm := range q {
		v = append(v, shifts[arm])
	}
	return a.form.divergence(a.shares(q, shares[:0]), v)
}

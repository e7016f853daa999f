package baseline

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/evidence"
)

// sequential asks one question after the other, estimates θ after every answer and checks the paper's stopping condition, with V
// of the questions answered so far. The strategies random, static and glgape differ in how they choose questions.
type sequential struct {
	*runner

	choose  func(q choice.Question) choice.Question // sets q to the next question and counts it in the precision
	pairs   bool                                    // V has the differences of two arms, not the arms
	width   func(t int) float64                     // of the bound
	stopped bool
	shown   *mat.SymDense // V of the questions answered

	difference []float64 // scratch
}

func newSequential(r *runner) *sequential {
	d := r.catalogue.Dim()
	s := &sequential{runner: r, width: r.bound.Width, shown: mat.NewSymDense(d, nil), difference: make([]float64, d)}
	for k := range d {
		s.shown.SetSym(k, k, r.settings.Mu)
	}
	s.choose = s.uniform
	return s
}

// newStatic returns BAI-Lin-MNL (Algorithm 1): after a few random questions, the arms
// of a question are chosen one by one to shrink the widest difference of two arms.
func newStatic(r *runner) policy {
	s := newSequential(r)
	rule := design.NewGreedy(r.precision, r.settings.Criterion, r.settings.Ties, r.rng)
	s.choose = func(q choice.Question) choice.Question {
		if r.asked < r.settings.Explore {
			return s.uniform(q)
		}
		return rule.Question(q, r.settings.K)
	}
	return s
}

// newGLGapE returns the algorithm of Kazerouni and Wein, for pairs, on the arms b_ij = a_i − a_j with V = μI + Σ bb': with i the
// leader by θ̂ and j the arm with the largest (a_j − a_i)'θ̂ + C_t‖a_i − a_j‖_{V⁻¹}, it asks about the pair whose b shrinks ‖a_i
// − a_j‖_{V⁻¹} most, and stops when that largest sum is not positive. C_t is the width of the paper's bound, so that all
// strategies have the same stopping rule, or that of Kazerouni and Wein ([Settings.Radius]).
func newGLGapE(r *runner) policy {
	s := newSequential(r)
	s.pairs = true
	if r.settings.Radius == KazerouniWein {
		s.width = kazerouniWein(r.catalogue, r.settings, r.precision).Width
	}
	s.choose = func(q choice.Question) choice.Question {
		if r.asked < r.settings.Explore {
			q = r.randomQuestion(q)
		} else {
			i, j := r.precision.BestComparison(r.estimate.leader, r.estimate.challenger(s.width(max(r.answered, 1)), r.precision))
			q = append(q, i, j)
		}
		r.precision.Compare(q[0], q[1])
		return q
	}
	return s
}

// kazerouniWein returns the bound of Kazerouni and Wein for the arms b_ij, with κ for the least slope of the link function. No
// question has been asked, so V is μI, with the least eigenvalue μ; the initial questions are too few to raise it.
func kazerouniWein(c *choice.Catalogue, s Settings, start *design.Products) evidence.KazerouniWeinBound {
	ratio := 0.0 // max ‖b_ij‖²/μ
	for i := range c.Len() {
		for j := range i {
			ratio = max(ratio, start.Gap(i, j))
		}
	}
	return evidence.KazerouniWeinBound{Dim: c.Dim(), Delta: s.Delta, Slope: s.Kappa, Ratio: ratio}
}

// uniform draws the arms of a question independently.
func (s *sequential) uniform(q choice.Question) choice.Question {
	q = s.randomQuestion(q)
	s.show(q)
	return q
}

func (s *sequential) next(q choice.Question) (choice.Question, bool) { return s.choose(q), true }

// count counts an answer, re-estimates θ and checks whether to stop.
func (s *sequential) count(a choice.Answer) error {
	if err := s.estimate.tally.Add(a); err != nil {
		return err
	}
	s.addShown(a.Question)
	s.estimate.update()
	// Do not check the condition during the random questions (Algorithm 1, line 3).
	s.stopped = s.answered > s.settings.Explore && s.estimate.decided(s.bound, s.width(s.answered), s.norms())
	return nil
}

// addShown counts a question in V of the questions answered.
func (s *sequential) addShown(q choice.Question) {
	add := func(x []float64) { blas64.Syr(1, blas64.Vector{N: len(x), Inc: 1, Data: x}, s.shown.RawSymmetric()) }
	if s.pairs {
		floats.SubTo(s.difference, s.catalogue.Arm(q[0]), s.catalogue.Arm(q[1]))
		add(s.difference)
		return
	}
	for _, arm := range q {
		add(s.catalogue.Arm(arm))
	}
}

// norms returns the norms under V of the questions answered: the maintained ones if every question asked is answered.
func (s *sequential) norms() norms {
	if s.ledger.AllAnswered() {
		return s.precision
	}
	return newDistances(s.catalogue, s.shown)
}

func (s *sequential) decided() bool { return s.stopped }

func (s *sequential) contenders() []int {
	if s.stopped {
		return []int{s.estimate.leader}
	}
	return s.estimate.contenders(s.bound, s.width(max(s.answered, 1)), s.norms())
}

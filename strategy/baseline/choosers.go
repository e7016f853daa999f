package baseline

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/evidence"
	"bestpick/strategy"
)

// NewRandom returns RandAlloc: every question is K arms, each drawn uniformly.
func NewRandom(c *choice.Catalogue, settings Settings) (strategy.Strategy, error) {
	s, err := newSequential(c, settings)
	if err != nil {
		return nil, err
	}
	s.choose = uniform{}
	return s, nil
}

// NewStatic returns BAI-Lin-MNL (Algorithm 1): after a few random questions, the arms
// of a question are chosen one by one to shrink the widest difference of two arms.
func NewStatic(c *choice.Catalogue, settings Settings) (strategy.Strategy, error) {
	s, err := newSequential(c, settings)
	if err != nil {
		return nil, err
	}
	s.choose = greedy{design.NewGreedy(s.precision, s.settings.Criterion, s.settings.Ties, s.rng)}
	return s, nil
}

// NewGLGapE returns the algorithm of Kazerouni and Wein, for pairs, on the arms b_ij = a_i − a_j
// with V = μI + Σ bb': with i the leader by θ̂ and j the arm with the largest (a_j − a_i)'θ̂ +
// C_t‖a_i − a_j‖_{V⁻¹}, it asks about the pair whose b shrinks ‖a_i − a_j‖_{V⁻¹} most, and stops
// when that largest sum is not positive. C_t is the width of the paper's bound, so that all
// strategies have the same stopping rule, or that of Kazerouni and Wein ([Settings.Radius]).
func NewGLGapE(c *choice.Catalogue, settings Settings) (strategy.Strategy, error) {
	if settings.K == 0 {
		settings.K = 2
	}
	if settings.K != 2 {
		return nil, errors.New("glgape asks about pairs, K must be 2")
	}
	if c.Len() > design.MaxProducts {
		return nil, fmt.Errorf("glgape compares all pairs of arms: there must be at most %d arms, got %d", design.MaxProducts, c.Len())
	}
	s, err := newSequential(c, settings)
	if err != nil {
		return nil, err
	}
	products := design.NewProducts(c, s.settings.Mu)
	s.precision, s.choose = products, gap{products}
	if s.settings.Radius == KazerouniWein {
		s.width = kazerouniWein(c, s.settings, products).Width
	}
	return s, nil
}

// kazerouniWein returns the bound of Kazerouni and Wein for the arms b_ij, with κ for the least slope
// of the link function. No question has been asked, so V is μI, with the least eigenvalue μ; the
// initial questions are too few to raise it.
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
type uniform struct{}

func (uniform) next(s *sequential, q choice.Question) choice.Question {
	q = randomQuestion(s.rng, q, s.settings.K, s.catalogue.Len())
	for _, arm := range q {
		s.precision.Show(arm)
	}
	return q
}

func (uniform) show(v *mat.SymDense, c *choice.Catalogue, q choice.Question) {
	for _, arm := range q {
		addOuter(v, c.Arm(arm), nil)
	}
}

// greedy follows the greedy rule after the initial random questions.
type greedy struct{ rule design.Greedy }

func (g greedy) next(s *sequential, q choice.Question) choice.Question {
	if s.asked <= s.settings.Explore {
		return uniform{}.next(s, q)
	}
	return g.rule.Question(q, s.settings.K)
}

func (greedy) show(v *mat.SymDense, c *choice.Catalogue, q choice.Question) {
	uniform{}.show(v, c, q)
}

// gap follows GLGapE.
type gap struct{ products *design.Products }

func (g gap) next(s *sequential, q choice.Question) choice.Question {
	if s.asked <= s.settings.Explore {
		q = randomQuestion(s.rng, q, 2, s.catalogue.Len())
		g.products.Compare(q[0], q[1])
		return q
	}
	leader := s.estimate.leader
	challenger := s.estimate.challenger(s.width(max(s.answered, 1)), s.precision)
	i, j := g.products.BestComparison(leader, challenger)
	g.products.Compare(i, j)
	return append(q, i, j)
}

func (gap) show(v *mat.SymDense, c *choice.Catalogue, q choice.Question) {
	addOuter(v, c.Arm(q[0]), c.Arm(q[1]))
}

// addOuter adds (a−b)(a−b)' to the upper triangle of v; b may be nil for zero.
func addOuter(v *mat.SymDense, a, b []float64) {
	d := len(a)
	cells := v.RawSymmetric().Data
	for k := range a {
		x := a[k]
		if b != nil {
			x -= b[k]
		}
		for l := k; l < d; l++ {
			y := a[l]
			if b != nil {
				y -= b[l]
			}
			cells[k*d+l] += x * y
		}
	}
}

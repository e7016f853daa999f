package baseline_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/evidence"
	"bestpick/internal/approx"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
)

// TestContendersByDefinition: with questions out, answered in any order and some
// lost, the contenders are those of equation 5 with V of the questions answered,
// computed from scratch.
func TestContendersByDefinition(t *testing.T) {
	const mu, ridge, delta, kappa = 1e-4, 1e-3, 0.05, 1
	for _, name := range []string{"random", "static", "glgape"} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			rows, ids := make([][]float64, 7), make([]string, 7)
			for i := range rows {
				ids[i], rows[i] = fmt.Sprint("a", i), []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			}
			c := must(choice.NewCatalogue(ids, []string{"x", "y", "z"}, rows))
			theta := []float64{1, -0.5, 0.3}
			k := 3
			if name == "glgape" {
				k = 2
			}
			s := must(baseline.New(name, c, baseline.Settings{K: k, Mu: mu, Ridge: ridge, Delta: delta, Kappa: kappa}))
			respondent := crowd.NewMNL(c, theta, rng)
			var out []choice.Question
			var answers []choice.Answer
			for range 300 {
				q, err := s.Ask()
				if err != nil {
					break
				}
				out = append(out, q)
				for len(out) > rng.IntN(4) {
					at := rng.IntN(len(out))
					q := out[at]
					out = slices.Delete(out, at, at+1)
					if rng.IntN(10) == 0 {
						if err := s.Lose(q); err != nil {
							t.Fatal(err)
						}
						continue
					}
					a := choice.Answer{Question: q, Picks: slices.Clone(respondent.Pick(q, 1))}
					answers = append(answers, a)
					if err := s.Tell(a); err != nil {
						t.Fatal(err)
					}
				}
				v := s.Verdict()
				if v.Status == strategy.Decided {
					break
				}
				want := contenders(t, c, answers, name == "glgape", mu, ridge, delta, kappa)
				if len(answers) > 0 && !slices.Equal(v.Contenders, want) {
					t.Fatalf("after %d answers: contenders %v, by definition %v", len(answers), v.Contenders, want)
				}
			}
			if len(answers) < 20 {
				t.Errorf("only %d answers", len(answers))
			}
		})
	}
}

// contenders follows the definition.
func contenders(
	t *testing.T, c *choice.Catalogue, answers []choice.Answer, differences bool, mu, ridge, delta, kappa float64,
) []int {
	t.Helper()
	d := c.Dim()
	v := mat.NewSymDense(d, nil)
	for k := range d {
		v.SetSym(k, k, mu)
	}
	tally := choice.NewTally(c.Len())
	for _, a := range answers {
		if err := tally.Add(a); err != nil {
			t.Fatal(err)
		}
		vectors := make([]*mat.VecDense, 0, len(a.Question))
		for _, arm := range a.Question {
			vectors = append(vectors, mat.NewVecDense(d, slices.Clone(c.Arm(arm))))
		}
		if differences {
			vectors[0].SubVec(vectors[0], vectors[1])
			vectors = vectors[:1]
		}
		for _, x := range vectors {
			v.SymRankOne(v, 1, x)
		}
	}
	theta := make([]float64, d)
	if _, err := (&choice.Estimator{RidgeOnMean: ridge}).Fit(choice.NewLinear(c, tally), theta); err != nil && len(answers) > 0 {
		t.Fatal(err)
	}
	leader := 0
	for arm := range c.Len() {
		if c.Utility(arm, theta) > c.Utility(leader, theta) {
			leader = arm
		}
	}
	var inverse mat.Dense
	_ = inverse.Inverse(v)
	bound := evidence.PaperBound{Dim: d, Arms: c.Len(), Delta: delta, Kappa: kappa}
	list := []int{leader}
	for arm := range c.Len() {
		if arm == leader {
			continue
		}
		g := mat.NewVecDense(d, nil)
		g.SubVec(mat.NewVecDense(d, slices.Clone(c.Arm(leader))), mat.NewVecDense(d, slices.Clone(c.Arm(arm))))
		lead := c.Utility(leader, theta) - c.Utility(arm, theta)
		if width := bound.Width(max(len(answers), 1)); width*width*mat.Inner(g, &inverse, g) > lead*lead {
			list = append(list, arm)
		}
	}
	return list
}

// TestFirstQuestionsAreUniform: the first question of static is drawn as RandAlloc
// draws: every arm in an eighth of the slots, however long it is. With 3·4,000 slots
// the share of an arm has standard error √(⅛·⅞/12,000) = 0.0030.
func TestFirstQuestionsAreUniform(t *testing.T) {
	rows, ids := make([][]float64, 8), make([]string, 8)
	for i := range rows {
		ids[i], rows[i] = fmt.Sprint("a", i), make([]float64, 8)
		rows[i][i] = float64(i+1) / 8
	}
	c := must(choice.NewCatalogue(ids, []string{"1", "2", "3", "4", "5", "6", "7", "8"}, rows))
	const draws = 4000
	shares := make([]float64, 8)
	for seed := range draws {
		s := must(baseline.New("static", c, baseline.Settings{Seed: uint64(seed)}))
		q := must(s.Ask())
		for _, arm := range q {
			shares[arm] += 1. / (3 * draws)
		}
	}
	for _, share := range shares {
		approx.Equal(t, "share", share, 1./8, 5*0.0030)
	}
}

// TestBatchesEndByTheirRule: a batch of adaptive goes on while max g'V⁻¹g of its own
// questions, divided by their number where the rule is literal, is at least α times
// what it was at the end of the last batch, 1/(d(d+1)+1) before the first. It is
// computed here from the questions themselves. Every batch starts without answers.
func TestBatchesEndByTheirRule(t *testing.T) {
	const mu, alpha, explore = 1e-4, 0.3, 4
	c := smallCatalogue(t)
	for _, rule := range []baseline.BatchRule{baseline.Literal, baseline.Normalised} {
		s := must(baseline.New("adaptive", c, baseline.Settings{Mu: mu, Alpha: alpha, Explore: explore, Batches: rule}))
		last := 1. / (2*3 + 1)
		for batch := range 3 {
			fitted, is := s.(interface {
				Estimate() ([]float64, *choice.Tally)
			})
			if !is {
				t.Fatal("the strategy has no estimate")
			}
			_, tally := fitted.Estimate()
			if tally.Picks() != 0 {
				t.Fatalf("batch %d starts with %v answers", batch, tally.Picks())
			}
			var out []choice.Question
			v := mat.NewSymDense(2, []float64{mu, 0, 0, mu})
			for progress := math.Inf(1); len(out) <= explore || progress >= alpha*last; {
				q, err := s.Ask()
				if err != nil {
					t.Fatalf("rule %d, batch %d: %v after %d questions", rule, batch, err, len(out))
				}
				out = append(out, q)
				for _, arm := range q {
					v.SymRankOne(v, 1, mat.NewVecDense(2, slices.Clone(c.Arm(arm))))
				}
				progress = widest(c, v)
				if rule == baseline.Literal {
					progress /= float64(len(out))
				}
				if len(out) > explore && progress < alpha*last {
					last = progress
					break
				}
			}
			if _, err := s.Ask(); !errors.Is(err, strategy.ErrWaiting) {
				t.Fatalf("rule %d, batch %d goes on after %d questions: %v", rule, batch, len(out), err)
			}
			for i, q := range out { // answers that say nothing
				if err := s.Tell(choice.Answer{Question: q, Picks: []int{i % 3}}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// widest returns max g'V⁻¹g over the differences g of two arms.
func widest(c *choice.Catalogue, v *mat.SymDense) float64 {
	var inverse mat.Dense
	_ = inverse.Inverse(v)
	most := 0.0
	for i := range c.Len() {
		for j := range i {
			g := mat.NewVecDense(c.Dim(), nil)
			for k := range c.Dim() {
				g.SetVec(k, c.Arm(i)[k]-c.Arm(j)[k])
			}
			most = max(most, mat.Inner(g, &inverse, g))
		}
	}
	return most
}

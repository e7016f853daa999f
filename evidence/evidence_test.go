package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// TestWidth: at d = 7, N = 8, κ = 0.5, δ = 0.05 and t = 100,000 the bound is
// 16·√(7 + log(3·64·1e10/0.05)) = 16·√(7 + 31.2792…).
func TestWidth(t *testing.T) {
	b := PaperBound{Dim: 7, Arms: 8, Delta: 0.05, Kappa: 0.5}
	want := 16 * math.Sqrt(7+math.Log(192e10/0.05))
	approx.EqualRelative(t, "width", b.Width(100_000), want, 1e-14)
	if !b.Decides(2, 1, 2) || b.Decides(2, 1.01, 2) || b.Decides(-2, 0, 2) || !b.Decides(0, 0, 2) {
		t.Error("the stopping condition decides wrongly")
	}
}

// TestKazerouniWeinWidth: at d = 8, δ = 0.05, c_μ = 0.5, L² = 2, λ₀ = 1e-4 and t = 1000 it is
// 4·√(3 + 2·log 40,001)·√(16·log 1000·log(π²·8·1e6/0.3)). It grows with t from the first question.
func TestKazerouniWeinWidth(t *testing.T) {
	b := KazerouniWeinBound{Dim: 8, Delta: 0.05, Slope: 0.5, Ratio: 2e4}
	want := 4 * math.Sqrt(3+2*math.Log(40_001)) * math.Sqrt(16*math.Log(1000)*math.Log(math.Pi*math.Pi*8e6/0.3))
	approx.EqualRelative(t, "width", b.Width(1000), want, 1e-14)
	if first := b.Width(1); !(first > 0 && first == b.Width(2) && b.Width(3) > first) {
		t.Errorf("widths %v, %v, %v", first, b.Width(2), b.Width(3))
	}
}

func randomTally(t *testing.T, rng *rand.Rand, n, d, k, questions int) (*choice.Catalogue, *choice.Tally) {
	t.Helper()
	rows, ids, features := make([][]float64, n), make([]string, n), make([]string, d)
	for i := range rows {
		ids[i] = fmt.Sprint("a", i)
		for range d {
			rows[i] = append(rows[i], rng.NormFloat64()/2)
		}
	}
	for j := range features {
		features[j] = fmt.Sprint("x", j)
	}
	c := must(choice.NewCatalogue(ids, features, rows))
	tally := choice.NewTally(n)
	for range questions {
		if err := tally.Add(choice.Answer{Question: rng.Perm(n)[:k], Picks: []int{0}}); err != nil {
			t.Fatal(err)
		}
	}
	return c, tally
}

// TestKappaIsTheLargest: F − κV is positive semidefinite, and not for any larger κ.
func TestKappaIsTheLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		d := 2 + rng.IntN(4)
		random := func() *mat.SymDense {
			s := mat.NewSymDense(d, nil)
			for range d + 2 {
				v := mat.NewVecDense(d, nil)
				for k := range d {
					v.SetVec(k, rng.NormFloat64())
				}
				s.SymRankOne(s, 1, v)
			}
			return s
		}
		f, v := random(), random()
		kappa := largestKappa(f, v)
		smallest := func(scale float64) float64 {
			var difference mat.SymDense
			difference.ScaleSym(-scale, v)
			difference.AddSym(f, &difference)
			var eigen mat.EigenSym
			if !eigen.Factorize(&difference, false) {
				t.Fatal("no eigenvalues")
			}
			return eigen.Values(nil)[0]
		}
		if smallest(kappa*(1-1e-9)) < 0 || smallest(kappa*(1+1e-6)) >= 0 {
			t.Errorf("κ = %v is not the largest", kappa)
		}
	}
}

// TestLambdaTildeAgainstFiniteDifferences: with θ̂ = θ* the inner integral of
// Assumption 2 is half the derivative of diag(μ) − μμ', here by differences of step
// h = 1e-5, whose error is of order h² = 1e-10.
func TestLambdaTildeAgainstFiniteDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	c, tally := randomTally(t, rng, 6, 3, 4, 5)
	theta := []float64{1, -0.5, 2}
	const h = 1e-5
	covariance := func(q choice.Question, at []float64) *mat.SymDense {
		mu := choice.Probabilities(nil, c.Utilities(nil, q, at))
		m := mat.NewSymDense(len(q), nil)
		for i := range mu {
			for j := i; j < len(mu); j++ {
				m.SetSym(i, j, -mu[i]*mu[j])
			}
			m.SetSym(i, i, mu[i]-mu[i]*mu[i])
		}
		return m
	}
	want := 0.0
	for q := range tally.Questions() {
		for i := range theta {
			up, down := append([]float64(nil), theta...), append([]float64(nil), theta...)
			up[i] += h
			down[i] -= h
			var slice mat.SymDense
			slice.ScaleSym(-1, covariance(q, down))
			slice.AddSym(covariance(q, up), &slice)
			slice.ScaleSym(1/(4*h), &slice)
			var eigen mat.EigenSym
			if !eigen.Factorize(&slice, false) {
				t.Fatal("no eigenvalues")
			}
			want = max(want, eigen.Values(nil)[len(q)-1])
		}
	}
	approx.Equal(t, "λ̃", lambdaTilde(c, tally, theta, theta), want, 1e-8)
}

// TestAssumptionsOfThePaper: on the paper's instance, d = 7 and K = 3, with every
// subset asked equally often, the true κ is 1.6e-6 where the paper uses 0.5.
func TestAssumptionsOfThePaper(t *testing.T) {
	const d, omega = 7, 0.01
	rows, ids, features := make([][]float64, d+1), make([]string, d+1), make([]string, d)
	for i := range rows {
		ids[i], rows[i] = fmt.Sprint("a", i+1), make([]float64, d)
		if i < d {
			rows[i][i], features[i] = 1, fmt.Sprint("x", i+1)
		}
	}
	rows[d][0], rows[d][1] = math.Cos(omega), math.Sin(omega)
	c := must(choice.NewCatalogue(ids, features, rows))
	tally := choice.NewTally(d + 1)
	for i := range d + 1 {
		for j := range i {
			for k := range j {
				if err := tally.AddWeighted(choice.Answer{Question: choice.Question{i, j, k}, Picks: []int{0}}, 1000); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	theta := make([]float64, d)
	theta[0] = 2
	bound := PaperBound{Dim: d, Arms: d + 1, Delta: 0.05, Kappa: 0.5}
	a := CheckAssumptions(bound, c, tally, theta, theta)
	approx.Equal(t, "κ", a.Kappa, 1.6e-6, 0.05e-6)
	if a.Hold() || !strings.HasPrefix(a.String(), "assumptions hold: no (κ used 0.5, actual 1.6e-06") {
		t.Errorf("%v", a)
	}
	a.KappaUsed, a.Needed = a.Kappa, a.LambdaMin
	if !a.Hold() || !strings.HasPrefix(a.String(), "assumptions hold: yes") {
		t.Errorf("%v", a)
	}
}

// TestInformedDerivatives: the gradient and the information of a likelihood with a prior are its finite
// differences.
func TestInformedDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	arms := randomArms(t, rng, 6, 3)
	tally := choice.NewTally(6)
	for range 30 {
		if err := tally.Add(choice.Answer{Question: rng.Perm(6)[:3], Picks: []int{rng.IntN(3)}}); err != nil {
			t.Fatal(err)
		}
	}
	prior := Prior{Score: randomVector(rng, 3, 5), Information: mat.NewSymDense(3, []float64{4, 1, 0, 1, 3, 1, 0, 1, 2})}
	l := informed{choice.NewLinear(arms, tally), prior.Discounted(0.5)}
	theta, gradient, information := randomVector(rng, 3, 1), make([]float64, 3), mat.NewSymDense(3, nil)
	value := l.Evaluate(theta, gradient, information)
	approx.Equal(t, "value", value, l.LogLikelihood(theta), 1e-12)
	const step = 1e-5
	above, below, scratch := make([]float64, 3), make([]float64, 3), mat.NewSymDense(3, nil)
	for k := range theta {
		theta[k] += step
		high := l.LogLikelihood(theta)
		l.Derivatives(theta, above, scratch)
		theta[k] -= 2 * step
		low := l.LogLikelihood(theta)
		l.Derivatives(theta, below, scratch)
		theta[k] += step
		approx.Equal(t, "slope", gradient[k], (high-low)/(2*step), 1e-6)
		for j := range theta {
			approx.Equal(t, "information", information.At(k, j), (below[j]-above[j])/(2*step), 1e-6)
		}
	}
}

// TestPriorBelief: before the first answer the belief is where a fit without answers ends.
func TestPriorBelief(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	arms := randomArms(t, rng, 6, 3)
	prior := Prior{Score: randomVector(rng, 3, 5), Information: mat.NewSymDense(3, []float64{4, 1, 0, 1, 3, 1, 0, 1, 2})}
	want, fitted := prior.Belief(), NewBelief(3)
	fitted.FitInformed(choice.NewLinear(arms, choice.NewTally(6)), prior)
	approx.EqualSlices(t, "θ", fitted.Fitted, want.Fitted, 1e-9)
	approx.EqualSlices(t, "H⁻¹", fitted.Inverse, want.Inverse, 1e-9)
}

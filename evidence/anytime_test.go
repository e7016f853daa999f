package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// stream is a run of answers with arbitrary predictions and starts, and the product of
// every start by its definition.
type stream struct {
	arms     *choice.Catalogue
	truth    []float64
	evidence *Anytime
	answers  []choice.Answer
	logs     []float64 // of the predictions
	starts   []int
	weights  []float64
}

func newStream(t *testing.T, seed uint64, answers int, starts ...int) *stream {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	rows, ids := make([][]float64, 6), make([]string, 6)
	for i := range rows {
		ids[i], rows[i] = fmt.Sprint("a", i), []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	}
	c := must(choice.NewCatalogue(ids, []string{"x", "y", "z"}, rows))
	white := must(choice.Whiten(c))
	s := &stream{arms: white, truth: []float64{0.8, -0.3, 0.5}, starts: starts}
	tally := choice.NewTally(6)
	s.evidence = NewAnytime(white, tally, 1)
	for at := range answers {
		for _, start := range starts {
			if start == at {
				s.weights = append(s.weights, 0.2)
				s.evidence.Start(0.2)
			}
		}
		q := choice.Question(rng.Perm(6)[:3])
		u := white.Utilities(nil, q, s.truth)
		a := choice.Answer{Question: q, Picks: []int{choice.SamplePick(rng, u)}}
		predicted := choice.Probabilities(nil, white.Utilities(nil, q, []float64{0.6 + 0.3*rng.Float64(), -0.2, 0.4}))
		s.logs = append(s.logs, math.Log(predicted[a.Picks[0]]))
		s.evidence.Predict(s.logs[at])
		if err := tally.Add(a); err != nil {
			t.Fatal(err)
		}
		s.answers = append(s.answers, a)
	}
	return s
}

// lead is the difference of two arms.
func (s *stream) lead(arm, other int) []float64 {
	g := append([]float64(nil), s.arms.Arm(arm)...)
	for k, x := range s.arms.Arm(other) {
		g[k] -= x
	}
	return g
}

// against is the bound without a search.
func against(l *Look, g []float64, epsilon float64) float64 {
	lead, width := l.Lead(g)
	return l.AgainstLead(lead+epsilon, width)
}

// byDefinition is log(cash + Σ w·∏ prediction/probability).
func (s *stream) byDefinition(theta []float64) float64 {
	sum := s.evidence.Cash()
	for k, start := range s.starts {
		log := math.Log(s.weights[k])
		for at := start; at < len(s.answers); at++ {
			a := s.answers[at]
			p := choice.Probabilities(nil, s.arms.Utilities(nil, a.Question, theta))
			log += s.logs[at] - math.Log(p[a.Picks[0]])
		}
		sum += math.Exp(log)
	}
	return math.Log(sum)
}

func TestLogByDefinition(t *testing.T) {
	s := newStream(t, 1, 80, 0, 10, 30)
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		theta := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		approx.Equal(t, "log M", s.evidence.Log(theta), s.byDefinition(theta), 1e-9)
	}
}

// TestAnytimeDerivatives against finite differences.
func TestAnytimeDerivatives(t *testing.T) {
	s := newStream(t, 3, 60, 0, 5, 20)
	a := s.evidence
	theta := []float64{0.3, -0.6, 0.9}
	gradient, curvature, hessian := make([]float64, 3), mat.NewSymDense(3, nil), mat.NewSymDense(3, nil)
	a.value(theta)
	a.differentiate(theta, gradient, curvature, hessian)
	const h = 1e-4
	at := func(k int, x float64, l int, y float64) float64 {
		moved := append([]float64(nil), theta...)
		moved[k] += x
		moved[l] += y
		return a.value(moved)
	}
	for k := range 3 {
		approx.Equal(t, "gradient", gradient[k], (at(k, h, k, 0)-at(k, -h, k, 0))/(2*h), 1e-5)
		for l := range 3 {
			second := (at(k, h, l, h) - at(k, h, l, -h) - at(k, -h, l, h) + at(k, -h, l, -h)) / (4 * h * h)
			approx.Equal(t, "hessian", hessian.At(k, l), second, 1e-3)
		}
	}
	difference := mat.NewSymDense(3, nil)
	for k := range 3 {
		for l := k; l < 3; l++ {
			difference.SetSym(k, l, hessian.At(k, l)-curvature.At(k, l))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(difference, false) || eigen.Values(nil)[0] < -1e-9 {
		t.Errorf("the curvature exceeds the Hessian: %v", eigen.Values(nil))
	}
}

// TestInfimumIsNeverOver: of many θ under which the other arm is better none has less
// evidence against it than was said, and the search comes close to the least.
func TestInfimumIsNeverOver(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for seed := range uint64(12) {
		answers := []int{5, 40, 300}[seed%3] // five are separated
		s := newStream(t, 10+seed, answers, 0, answers/4, answers/2)
		look, ok := s.evidence.Look(make([]float64, 3))
		if !ok {
			t.Fatalf("%d answers: no look", answers)
		}
		for _, pair := range [][2]int{{0, 1}, {2, 3}, {4, 5}} {
			for _, epsilon := range []float64{0, 0.3, 3, 10} {
				arm, other := pair[0], pair[1]
				lead := s.lead(arm, other)
				bound, infimum := against(look, lead, epsilon), look.Infimum(lead, epsilon)
				least := math.Inf(1)
				scale := 10.0
				at := append([]float64(nil), look.Theta...)
				for try := range 6000 { // a random walk downhill
					theta := make([]float64, 3)
					for k := range theta {
						theta[k] = at[k] + scale*rng.NormFloat64()
					}
					lead := s.arms.Utility(other, theta) - s.arms.Utility(arm, theta)
					if lead < epsilon || mat.Norm(mat.NewVecDense(3, theta), 2) > MaxSpread/2 {
						continue
					}
					if log := s.evidence.value(theta) - ridge/2*dot(theta, theta); log < least {
						least, at = log, theta
					} else if try%40 == 39 {
						scale *= 0.9
					}
				}
				if !(bound <= least+1e-9 && infimum <= least+1e-9) {
					t.Errorf("%d answers, arms %v, ε %g: said %v and %v, found %v", answers, pair, epsilon, bound, infimum, least)
				}
				if answers > 5 && epsilon < 1 && !(infimum >= least-0.05) {
					t.Errorf("%d answers, arms %v, ε %g: said %v, the least found is %v", answers, pair, epsilon, infimum, least)
				}
			}
		}
	}
}

func dot(a, b []float64) float64 {
	return mat.Dot(mat.NewVecDense(len(a), a), mat.NewVecDense(len(b), b))
}

// TestAgainstWhereItIsTight: with two arms, and one pick of sixty against the first, the bound
// without a search is nearly reached, and never passed.
func TestAgainstWhereItIsTight(t *testing.T) {
	c := must(choice.NewCatalogue([]string{"a", "b"}, []string{"x"}, [][]float64{{1}, {-1}}))
	tally := choice.NewTally(2)
	a := NewAnytime(c, tally, 1)
	a.Start(1)
	for at := range 60 {
		answer := choice.Answer{Question: choice.Question{0, 1}, Picks: []int{0}}
		if at == 30 {
			answer.Picks[0] = 1
		}
		a.Predict(math.Log(0.5))
		if err := tally.Add(answer); err != nil {
			t.Fatal(err)
		}
	}
	look, ok := a.Look([]float64{0})
	if !ok {
		t.Fatal("no look")
	}
	for epsilon := 0.0; epsilon <= 10; epsilon++ {
		least := math.Inf(1)
		for x := -20.0; 2*x <= -epsilon; x += 0.001 { // b leads by −2x
			least = min(least, a.Log([]float64{x}))
		}
		bound, infimum := against(look, []float64{2}, epsilon), look.Infimum([]float64{2}, epsilon)
		if !(bound <= least+1e-9 && infimum <= least+1e-9) {
			t.Errorf("ε = %g: said %v and %v, it is %v", epsilon, bound, infimum, least)
		}
	}
}

// TestWhatTheSearchLeaves: off the minimum, on the plane, what a search may have left is taken off;
// and the ridge never adds to the least value.
func TestWhatTheSearchLeaves(t *testing.T) {
	s := newStream(t, 11, 300, 0, 100)
	look, ok := s.evidence.Look(make([]float64, 3))
	if !ok {
		t.Fatal("no look")
	}
	lead := s.lead(0, 1)
	if l, _ := look.Lead(lead); l < 0 {
		lead = s.lead(1, 0)
	}
	infimum := look.Infimum(lead, 0.3)
	g := []float64{-lead[0], -lead[1], -lead[2]}
	aside := []float64{g[1], -g[0], 0} // along the plane
	normal := mat.NewVecDense(3, g)
	var towards mat.VecDense
	if err := look.factor.SolveVecTo(&towards, normal); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for off := -0.2; off <= 0.2; off += 0.01 {
		theta := append([]float64(nil), look.Theta...)
		step := (0.3 - dot(g, theta)) / mat.Dot(normal, &towards)
		for k := range theta {
			theta[k] += step*towards.AtVec(k) + off*aside[k]
		}
		value := s.evidence.value(theta)
		gradient, curvature, hessian := make([]float64, 3), mat.NewSymDense(3, nil), mat.NewSymDense(3, nil)
		s.evidence.differentiate(theta, gradient, curvature, hessian)
		mu := dot(gradient, towards.RawVector().Data) / mat.Dot(normal, &towards)
		found := math.Inf(-1)
		if settled, ok := s.evidence.settled(theta, gradient, g, curvature, value, mu, 0.3); ok {
			found = settled.least
		}
		if !math.IsInf(found, -1) && value > infimum+1e-3 {
			tried++
		}
		if !(found <= infimum+1e-3) {
			t.Errorf("said %v at a point with %v, the least is %v", found, value, infimum)
		}
	}
	if tried < 3 {
		t.Errorf("only %d points tell", tried)
	}
	separated := newStream(t, 12, 5, 0)
	far, ok := separated.evidence.Look(make([]float64, 3))
	if !ok {
		t.Fatal("no look")
	}
	if there := separated.evidence.value(far.Theta) - ridge/2*dot(far.Theta, far.Theta); !(far.value <= there) {
		t.Errorf("the least is said to be %v, but it is %v at %v", far.value, there, far.Theta)
	}
}

// TestGuess: with many answers, all of them after the one start, a guess is about right.
func TestGuess(t *testing.T) {
	s := newStream(t, 7, 2000, 0)
	look, ok := s.evidence.Look(make([]float64, 3))
	if !ok {
		t.Fatal("no look")
	}
	approx.Equal(t, "the least", look.Guess(0), look.value, 1e-3)
	for arm := range 5 {
		lead, width := look.Lead(s.lead(arm, 5))
		leader, other := arm, 5
		if lead < 0 {
			leader, other, lead = other, leader, -lead
		}
		z := lead * lead / (2 * width * width)
		approx.Equal(t, "a guess", look.Guess(z)-look.value, look.Infimum(s.lead(leader, other), 0)-look.value,
			0.25*z+0.01) // G is not quadratic so far off
	}
}

// TestRadius: whatever is farther than the radius is refuted.
func TestRadius(t *testing.T) {
	s := newStream(t, 40, 200, 0, 50)
	look, ok := s.evidence.Look(make([]float64, 3))
	if !ok {
		t.Fatal("no look")
	}
	radius := look.Radius(0.05)
	rng := rand.New(rand.NewPCG(6, 6))
	for range 20_000 {
		theta := make([]float64, 3)
		for k := range theta {
			theta[k] = look.Theta[k] + 2*rng.NormFloat64()
		}
		for arm := range 5 {
			lead, width := look.Lead(s.lead(arm, 5))
			now := s.arms.Utility(arm, theta) - s.arms.Utility(5, theta)
			if outside := now-lead > radius*width || lead-now > radius*width; outside && s.evidence.Log(theta) < math.Log(20) {
				t.Fatalf("a lead of %v, %v ± %v·%v, is not refuted", now, lead, radius, width)
			}
		}
	}
}

// TestCapital: what is put to work never exceeds what was there.
func TestCapital(t *testing.T) {
	s := newStream(t, 50, 10, 0)
	s.evidence.Start(5)
	approx.Equal(t, "cash", s.evidence.Cash(), 0, 0)
	s.evidence.Start(1)
	if n := len(s.evidence.State().Starts); n != 2 {
		t.Errorf("%d starts", n)
	}
	copied := NewAnytime(s.arms, s.evidence.tally, 1)
	copied.Restore(s.evidence.State())
	approx.Equal(t, "log M", copied.Log(s.truth), s.evidence.Log(s.truth), 0)
}

// TestDuel: the least of its evidence is the least over a grid of leads.
func TestDuel(t *testing.T) {
	for _, d := range []Duel{
		{Weight: 0.2, Predicted: -5, Wins: 3, Losses: 9},
		{Weight: 0.2, Predicted: -5, Wins: 9, Losses: 3},
		{Weight: 1, Predicted: -2, Losses: 4},
		{Weight: 1, Predicted: -2, Wins: 4},
	} {
		for _, epsilon := range []float64{0, 0.5} {
			least := math.Inf(1)
			for x := epsilon; x < 60; x += 0.001 {
				least = min(least, d.Log(x))
			}
			approx.Equal(t, fmt.Sprintf("%+v, ε %g", d, epsilon), d.Infimum(epsilon), least, 1e-6)
		}
	}
	var d Duel
	d.Weight = 1
	d.Count(true, 0.25)
	d.Count(false, 0.5)
	approx.Equal(t, "log", d.Log(0), math.Log(0.25*0.5/0.25), 1e-12)
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestSupportIsNeverUnder: no θ of a random walk that is not refuted exceeds the bound on the lead of an
// arm, and the walk comes close to it.
func TestSupportIsNeverUnder(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	threshold := math.Log(20)
	for seed := range uint64(9) {
		answers := []int{5, 40, 300}[seed%3] // five are separated
		s := newStream(t, 60+seed, answers, 0, answers/4, answers/2)
		look, ok := s.evidence.Look(make([]float64, 3))
		if !ok {
			t.Fatalf("%d answers: no look", answers)
		}
		for _, pair := range [][2]int{{0, 1}, {3, 2}, {4, 5}} {
			g := s.lead(pair[0], pair[1])
			factor, solved := look.Factor(), mat.NewVecDense(3, nil)
			if err := factor.SolveVecTo(solved, mat.NewVecDense(3, g)); err != nil {
				t.Fatal(err)
			}
			guess := look.Reach(threshold).Guess(look.Theta, g, solved.RawVector().Data)
			bound, most, scale := look.Support(g, threshold, guess), math.Inf(-1), 10.0
			at := append([]float64(nil), look.Theta...)
			for try := range 6000 { // a random walk to larger leads, within the set
				theta := make([]float64, 3)
				for k := range theta {
					theta[k] = at[k] + scale*rng.NormFloat64()
				}
				tooFar := mat.Norm(mat.NewVecDense(3, theta), 2) > MaxSpread/2
				if lead := dot(g, theta); !tooFar && lead > most && s.evidence.value(theta)-ridge/2*dot(theta, theta) < threshold {
					most, at = lead, theta
				} else if try%40 == 39 {
					scale *= 0.9
				}
			}
			if !(bound >= most-1e-9) {
				t.Errorf("%d answers, arms %v: at most %v, found %v", answers, pair, bound, most)
			}
			if answers > 5 && !(bound <= most+0.02*max(most, -most)+0.02) {
				t.Errorf("%d answers, arms %v: at most %v, the largest found is %v", answers, pair, bound, most)
			}
		}
	}
}

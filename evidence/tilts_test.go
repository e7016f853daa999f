package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

func randomArms(t *testing.T, rng *rand.Rand, n, d int) *choice.Catalogue {
	t.Helper()
	rows, ids, features := make([][]float64, n), make([]string, n), make([]string, d)
	for i := range rows {
		ids[i] = fmt.Sprint("a", i)
		for range d {
			rows[i] = append(rows[i], rng.NormFloat64())
		}
	}
	for k := range features {
		features[k] = fmt.Sprint("x", k)
	}
	c := must(choice.NewCatalogue(ids, features, rows))
	return must(choice.Whiten(c))
}

func randomVector(rng *rand.Rand, d int, scale float64) []float64 {
	v := make([]float64, d)
	for k := range v {
		v[k] = scale * rng.NormFloat64()
	}
	return v
}

// TestTiltsAreAMartingale: over all sequences of five answers, by their probability under θ, the capital
// at θ is on average what was invested. Questions, directions and investments depend on the answers
// before.
func TestTiltsAreAMartingale(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 31))
		arms := randomArms(t, rng, 5, 2)
		theta := randomVector(rng, 2, 1)
		k := 2 + int(seed%2)
		mean := 0.0 // of the capital with the cash
		var visit func(picks []int, probability float64)
		visit = func(picks []int, probability float64) {
			tally := choice.NewTally(5)
			tilts := NewTilts(arms, tally)
			cash := 1.0
			past := uint64(0)
			var shares []float64
			for at := range len(picks) + 1 {
				own := rand.New(rand.NewPCG(past, seed)) // everything is a function of the past
				if at != 3 {
					tilts.NextBatch()
					tilts.Aim(2, randomVector(own, 2, 0.5))
					part := cash * own.Float64()
					tilts.Start(2, part)
					cash -= part
				}
				q := choice.Question(own.Perm(5)[:k])
				shares = choice.Probabilities(nil, arms.Utilities(nil, q, theta))
				if at == len(picks) {
					break
				}
				tilts.Count(q, picks[at])
				if err := tally.Add(choice.Answer{Question: q, Picks: picks[at : at+1]}); err != nil {
					t.Fatal(err)
				}
				past = past*3 + uint64(picks[at]) + 1
			}
			if len(picks) == 5 {
				mean += probability * (cash + math.Exp(tilts.Log(2, theta)))
				return
			}
			for pick, share := range shares {
				visit(append(slices.Clone(picks), pick), probability*share)
			}
		}
		visit(nil, 1)
		approx.Equal(t, "the capital on average", mean, 1, 1e-9)
	}
}

// A tiltedRun is a run of answers with evidence about all of θ and against one arm.
type tiltedRun struct {
	evidence *Anytime
	tilts    *Tilts
	belief   Belief
	arm      int
	lead     []float64
}

// newTiltedRun draws arms, θ and answers. The tilts are aimed at the lead of the best arm over the
// second, at least favourable directions with an error.
func newTiltedRun(t *testing.T, seed uint64) *tiltedRun {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 32))
	n, d := 5+rng.IntN(8), 2+rng.IntN(3)
	arms := randomArms(t, rng, n, d)
	theta := randomVector(rng, d, 0.3+rng.Float64())
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if arms.Utility(i, theta) > arms.Utility(j, theta) {
			return -1
		}
		return 1
	})
	tally := choice.NewTally(n)
	run := &tiltedRun{evidence: NewAnytime(arms, tally, 1), tilts: NewTilts(arms, tally), belief: NewBelief(d), arm: order[1]}
	run.lead = floats.SubTo(make([]float64, d), arms.Arm(order[0]), arms.Arm(order[1]))
	linear := choice.NewLinear(arms, tally)
	answers, next := 40+rng.IntN(300), 0
	k := 2 + rng.IntN(min(n-2, 3))
	for at := range answers {
		if at == next {
			next += max(1, at/8)
			run.belief.Fit(linear)
			run.aim(rng, d)
		}
		q := rng.Perm(n)[:k]
		pick := choice.SamplePick(rng, arms.Utilities(nil, q, theta))
		shares := run.belief.Predict(arms, q)
		run.evidence.Predict(math.Log(shares[pick]))
		run.tilts.Count(q, pick)
		if err := tally.Add(choice.Answer{Question: q, Picks: []int{pick}}); err != nil {
			t.Fatal(err)
		}
	}
	return run
}

func (r *tiltedRun) aim(rng *rand.Rand, d int) {
	solved := make([]float64, d)
	for k := range d {
		solved[k] = floats.Dot(r.belief.Inverse[k*d:(k+1)*d], r.lead)
	}
	h := randomVector(rng, d, 0.1)
	floats.AddScaled(h, max(0.2, floats.Dot(r.lead, r.belief.Fitted))/floats.Dot(r.lead, solved), solved)
	r.tilts.NextBatch()
	r.tilts.Aim(r.arm, h)
	if rng.IntN(4) == 0 || len(r.tilts.find(r.arm).Starts) == 0 {
		r.tilts.Start(r.arm, 0.1)
		r.evidence.Start(0.05 + 0.1*rng.Float64())
	}
}

func (r *tiltedRun) log(theta []float64) float64 {
	return choice.LogSumExp([]float64{r.evidence.Log(theta), r.tilts.Log(r.arm, theta)})
}

// bruteForce returns the least log(M + T) that random descents in the half-space find.
func (r *tiltedRun) bruteForce(rng *rand.Rand, start []float64, spread float64, tries int) float64 {
	d := len(start)
	inside := func(theta []float64) {
		if beyond := floats.Dot(r.lead, theta); beyond > 0 {
			floats.AddScaled(theta, -beyond/floats.Dot(r.lead, r.lead), r.lead)
		}
	}
	least := math.Inf(1)
	for range tries {
		theta := randomVector(rng, d, spread)
		floats.Add(theta, start)
		inside(theta)
		value := r.log(theta)
		for scale := spread; scale > 1e-4; {
			trial := randomVector(rng, d, scale)
			floats.Add(trial, theta)
			inside(trial)
			if next := r.log(trial); next < value {
				theta, value = trial, next
			} else {
				scale *= 0.85
			}
		}
		least = min(least, value)
	}
	return least
}

// checkTiltedInfima: on random instances the certified infimum never exceeds a brute-force minimum. Some
// of the bounds must be larger than that of M alone, and some within half a nat of the minimum: otherwise
// they would be of no use.
func checkTiltedInfima(t *testing.T, instances int) {
	t.Helper()
	gained, sharp, checked := 0, 0, 0
	for seed := range uint64(instances) {
		r := newTiltedRun(t, seed)
		look, ok := r.evidence.Look(r.belief.Fitted)
		if !ok || floats.Dot(r.lead, look.Theta) <= 0 {
			continue
		}
		checked++
		alone := look.Infimum(r.lead, 0)
		rng := rand.New(rand.NewPCG(seed, 33))
		start := slices.Clone(look.Theta)
		found := look.TiltedInfimum(r.tilts, r.arm, r.lead, 0, alone+1+2*rng.Float64())
		least := r.bruteForce(rng, start, 0.5, 4)
		if !(found <= least+1e-6) {
			t.Errorf("instance %d: the infimum is said to be %v, but %v occurs", seed, found, least)
		}
		if found > alone+0.3 {
			gained++
		}
		if found > least-0.5 {
			sharp++
		}
	}
	t.Logf("%d instances: %d bounds exceed that of M by 0.3, %d are within 0.5 of the minimum", checked, gained, sharp)
	if checked < instances/2 || gained < instances/10 || sharp < instances/10 {
		t.Errorf("%d of %d instances: %d bounds exceed that of M by 0.3, %d are within 0.5 of the minimum", checked, instances,
			gained, sharp)
	}
}

func TestTiltedInfimum(t *testing.T) { checkTiltedInfima(t, 50) }

// TestGrowth: no probabilities with odds within e^r give a larger ratio of variances, and for two arms
// the bound is reached.
func TestGrowth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 34))
	for range 300 {
		k, r := 2+rng.IntN(4), 2*rng.Float64()
		shares := choice.Probabilities(nil, randomVector(rng, k, 1))
		w := make([]float64, k)
		for i := range w {
			w[i] = math.Exp(0.5 * rng.Float64())
		}
		bound, most := growth(shares, w, r), -1.0
		for try := range 400 {
			p := make([]float64, k)
			for i := range p {
				p[i] = math.Log(shares[i]) + r*rng.Float64()
				if try < 1<<k {
					p[i] = math.Log(shares[i]) + r*float64(try>>i&1)
				}
			}
			p = choice.Probabilities(p, p)
			most = max(most, largestRatio(t, p, w)-1)
		}
		if !(most <= bound+1e-6) {
			t.Fatalf("probabilities %v, tilted by %v, within %v: %v occurs, but the bound is %v", shares, w, r, most, bound)
		}
		if k == 2 && bound > 0 && !(most >= bound-0.05*(1+bound)) {
			t.Errorf("two arms: the bound is %v, but at most %v occurs", bound, most)
		}
	}
}

// largestRatio returns the largest Var_q(v)/Var_p(v), by the eigenvalues of Cov_p^{-1}·Cov_q without the
// last arm, whose v is zero.
func largestRatio(t *testing.T, p, w []float64) float64 {
	t.Helper()
	k := len(p) - 1
	q := floats.MulTo(make([]float64, len(p)), p, w)
	floats.Scale(1/floats.Sum(q), q)
	covariance := func(p []float64) *mat.SymDense {
		m := mat.NewSymDense(k, nil)
		for i := range k {
			for j := i; j < k; j++ {
				m.SetSym(i, j, -p[i]*p[j])
			}
			m.SetSym(i, i, p[i]-p[i]*p[i])
		}
		return m
	}
	var factor mat.Cholesky
	if !factor.Factorize(covariance(p)) {
		t.Fatal("no factor")
	}
	var solved mat.Dense
	if err := factor.SolveTo(&solved, covariance(q)); err != nil {
		t.Fatal(err)
	}
	var eigen mat.Eigen
	if !eigen.Factorize(&solved, mat.EigenNone) {
		t.Fatal("no eigenvalues")
	}
	most := 0.0
	for _, value := range eigen.Values(nil) {
		most = max(most, real(value))
	}
	return most
}

// TestTiltsAreLimited: the tilts of a question have a range of at most maxTilt, and the least of them is
// zero. Smaller ranges stay as they are.
func TestTiltsAreLimited(t *testing.T) {
	for _, c := range []struct{ given, want []float64 }{
		{[]float64{1, 5, 3}, []float64{0, maxTilt, maxTilt / 2}},
		{[]float64{-1e9, 1e9}, []float64{0, maxTilt}},
		{[]float64{0.25, 0.125}, []float64{0.125, 0}},
		{[]float64{2, 2}, []float64{0, 0}},
	} {
		limit(c.given)
		if !slices.Equal(c.given, c.want) {
			t.Errorf("%v, want %v", c.given, c.want)
		}
	}
}

package choice_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// TestWeightsClosedForm: with one indicator of the first of two alternatives, the estimate is the
// log odds of the weighted shares, log(W₁/W₀), its variance 1/W₁ + 1/W₀, and the log-likelihood
// W₁·log(W₁/W) + W₀·log(W₀/W).
func TestWeightsClosedForm(t *testing.T) {
	cells := []float64{1, 0, 1, 0, 1, 0, 1, 0}
	records := must(choice.NewRecords([]string{"first"}, cells, []int{2, 2, 2, 2}, []int{1, 0, 0, 1, 1, 0, 0, 1}))
	weights := []float64{2.5, 0.25, 3, 1}
	first, second := 2.5+3, 0.25+1
	estimate := mustEstimate(t, choice.Estimator{Tolerance: 1e-20}, records.Weighted(weights))
	approx.Equal(t, "θ", estimate.Theta[0], math.Log(first/second), 1e-12)
	approx.Equal(t, "variance", estimate.Covariance.At(0, 0), 1/first+1/second, 1e-12)
	total := first + second
	approx.Equal(t, "log-likelihood", estimate.LogLikelihood, first*math.Log(first/total)+second*math.Log(second/total), 1e-12)
	approx.Equal(t, "equal shares", estimate.NullLogLikelihood, -total*math.Ln2, 1e-12)
	approx.Equal(t, "picks", estimate.Picks, total, 0)

	// The sandwich: Σ w²(1−p)² over picks of the first plus Σ w²p² over the others, times G/(G−1).
	p := first / total
	meat := (2.5*2.5+3*3)*(1-p)*(1-p) + (0.25*0.25+1)*p*p
	bread := 1/first + 1/second
	robust := estimate.RobustCovariance(records.Weighted(weights).Scores(estimate.Theta, nil))
	approx.Equal(t, "robust variance", robust.At(0, 0), bread*meat*bread*4/3, 1e-12)
}

// TestWeightsAreCopies: a task of weight 3 is three equal tasks.
func TestWeightsAreCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	one := recordsTwin(t, rng, "rankings", 3, 60, 3)
	records, _ := one.likelihood.(*choice.Records)
	weights, copies := make([]float64, records.Tasks()), []int{}
	for task := range weights {
		times := 1 + rng.IntN(3)
		weights[task] = float64(times)
		for range times {
			copies = append(copies, task)
		}
	}
	a := mustEstimate(t, choice.Estimator{}, records.Weighted(weights))
	b := mustEstimate(t, choice.Estimator{}, records.Select(copies))
	approx.EqualSlices(t, "θ", a.Theta, b.Theta, 1e-9)
	approx.EqualSlices(t, "standard errors", choice.StandardErrors(a.Covariance), choice.StandardErrors(b.Covariance), 1e-9)
	approx.EqualRelative(t, "log-likelihood", a.LogLikelihood, b.LogLikelihood, 1e-12)
}

// TestHitRate compares with the utilities of all alternatives of every pick.
func TestHitRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	one := recordsTwin(t, rng, "picks", 4, 200, 1)
	records, _ := one.likelihood.(*choice.Records)
	theta := randomVector(rng, 4, 1)
	want := 0.0
	for _, pick := range one.plain {
		best := true
		for _, option := range pick.options {
			gap := 0.0
			for k := range theta {
				gap += theta[k] * (option[k] - pick.options[pick.pick][k])
			}
			best = best && gap <= 0
		}
		if best {
			want++
		}
	}
	approx.Equal(t, "hit rate", records.HitRate(theta), want/200, 1e-15)
	ties := 0.0 // at θ = 0 every alternative has the highest utility
	for _, pick := range one.plain {
		ties += 1 / float64(len(pick.options))
	}
	approx.Equal(t, "hit rate of ties", records.HitRate(make([]float64, 4)), ties/200, 1e-12)
}

//go:build long

package fitting_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/internal/fitting"
	"bestpick/internal/testsupport"
)

// TestLongDerivedCoverage: over 1,000 simulated data sets the 95% intervals of the willingness to pay and of
// the predicted shares cover the truth between 93% and 97% of the time, with plain and clustered errors. If
// the coverage is 95%, the share over 1,000 runs has the standard error √(.95·.05/1000) = 0.69%, so that the
// band is 2.9 of them either way; the seeds fix the outcome.
func TestLongDerivedCoverage(t *testing.T) {
	const runs, people, tasksEach = 1000, 150, 4
	features := [][]float64{{0, 0, 1, 0}, {1, 0, 2, 1}, {0, 1, 1.5, 0.5}}
	var utilities []float64
	for _, x := range features {
		utilities = append(utilities, floats.Dot(x, truth))
	}
	want := []float64{-truth[0] / truth[2], -truth[1] / truth[2], -truth[3] / truth[2]}
	want = append(want, choice.Probabilities(nil, utilities)...)
	covered := map[fitting.Errors][]int{fitting.Plain: make([]int, len(want)), fitting.Clustered: make([]int, len(want))}
	for run := range runs {
		text := simulated(uint64(100+run), people, tasksEach)
		for kind, counts := range covered {
			r := fit(t, text, form, fitting.Options{Errors: kind})
			derived, err := r.WillingnessToPay("price")
			testsupport.NoError(t, err)
			shares, err := r.Shares(strings.NewReader(scenario), "scenario.csv")
			testsupport.NoError(t, err)
			for i, d := range append(derived, shares[0].Shares...) {
				if d.Low <= want[i] && want[i] <= d.High {
					counts[i]++
				}
			}
		}
	}
	for kind, counts := range covered {
		t.Logf("%s errors: %v of %d", kind, counts, runs)
		for i, count := range counts {
			if count < 930 || count > 970 {
				t.Errorf("%s errors: interval %d covers in %d of %d runs", kind, i, count, runs)
			}
		}
	}
}

// TestLongElectricityClasses: ten seeds lead to the same maximum.
func TestLongElectricityClasses(t *testing.T) {
	data := electricity(t)
	for count, want := range electricityClasses {
		for seed := range uint64(10) {
			fitted, err := data.FitClasses(fitting.ClassOptions{Count: count, Seed: seed})
			testsupport.NoError(t, err)
			t.Logf("%d classes, seed %d: log-likelihood %.6f, %d of %d starts", count, seed, fitted.LogLikelihood, fitted.Starts.Reached,
				fitted.Starts.Ended)
			approx.Equal(t, "log-likelihood", fitted.LogLikelihood, want.ours, 1e-5)
		}
	}
}

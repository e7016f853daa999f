//go:build long

package choice_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// TestLongCoverage: over 1,000 simulated data sets the 95 % intervals of each
// coefficient cover the truth between 93 % and 97 % of the time. If the coverage is
// 95 %, the share over 1,000 runs has standard error √(.95·.05/1000) = 0.69 %, so
// the band is 2.9 of them either way; the seed fixes the outcome.
func TestLongCoverage(t *testing.T) {
	const runs, tasks, size = 1000, 400, 4
	theta := []float64{1, -0.5, 0.25}
	t.Run("plain errors, records", func(t *testing.T) {
		covered := make([]int, len(theta))
		for run := range runs {
			rng := rand.New(rand.NewPCG(uint64(run), 1))
			records, _ := simulatedRecords(t, rng, theta, tasks, size, 1, 0)
			estimate := must(new(choice.Estimator).Estimate(records))
			countCovered(covered, estimate.Theta, theta, choice.StandardErrors(estimate.Covariance))
		}
		checkCoverage(t, covered, runs)
	})
	t.Run("plain errors, rankings of three", func(t *testing.T) {
		covered := make([]int, len(theta))
		for run := range runs {
			rng := rand.New(rand.NewPCG(uint64(run), 2))
			records, _ := simulatedRecords(t, rng, theta, tasks/2, size, 3, 0)
			estimate := must(new(choice.Estimator).Estimate(records))
			countCovered(covered, estimate.Theta, theta, choice.StandardErrors(estimate.Covariance))
		}
		checkCoverage(t, covered, runs)
	})
	t.Run("plain errors, tally", func(t *testing.T) {
		covered := make([]int, len(theta))
		for run := range runs {
			rng := rand.New(rand.NewPCG(uint64(run), 3))
			l, _, _ := sampledLinear(t, rng, 10, size, tasks, theta)
			estimate := must(new(choice.Estimator).Estimate(l))
			countCovered(covered, estimate.Theta, theta, choice.StandardErrors(estimate.Covariance))
		}
		checkCoverage(t, covered, runs)
	})
	// Respondents whose answers are as alike as can be: each is shown one task ten
	// times and repeats the first pick. The clustered errors must cover and the plain
	// ones must not.
	t.Run("clustered errors", func(t *testing.T) {
		clustered, plain := make([]int, len(theta)), make([]int, len(theta))
		for run := range runs {
			rng := rand.New(rand.NewPCG(uint64(run), 4))
			records, who := simulatedRecords(t, rng, theta, 3000, size, 1, 10)
			estimate := must(new(choice.Estimator).Estimate(records))
			robust := estimate.RobustCovariance(records.Scores(estimate.Theta, who))
			countCovered(clustered, estimate.Theta, theta, choice.StandardErrors(robust))
			countCovered(plain, estimate.Theta, theta, choice.StandardErrors(estimate.Covariance))
		}
		checkCoverage(t, clustered, runs)
		for k, count := range plain {
			if count > runs*80/100 {
				t.Errorf("the plain interval of coefficient %d covers in %d of %d runs: the answers are not alike", k, count, runs)
			}
		}
	})
}

// simulatedRecords draws tasks at theta, ranked to the given depth. With habit > 0
// every respondent answers that many copies of one task with one and the same pick.
func simulatedRecords(t *testing.T, rng *rand.Rand, theta []float64, tasks, size, depth, habit int) (*choice.Records, []int) {
	t.Helper()
	names := make([]string, len(theta))
	for k := range names {
		names[k] = fmt.Sprint("x", k)
	}
	var cells []float64
	var sizes, ranks, who []int
	for len(sizes) < tasks {
		task := randomVector(rng, size*len(theta), 1)
		utilities := make([]float64, size)
		for i := range utilities {
			for k := range theta {
				utilities[i] += task[i*len(theta)+k] * theta[k]
			}
		}
		rank := make([]int, size)
		for at, i := range choice.SampleRanking(rng, utilities, depth) {
			rank[i] = at + 1
		}
		respondent := len(sizes)
		for range max(habit, 1) {
			cells, sizes, ranks, who = append(cells, task...), append(sizes, size), append(ranks, rank...), append(who, respondent)
		}
	}
	records := must(choice.NewRecords(names, cells, sizes, ranks))
	return records, who
}

func countCovered(covered []int, estimate, truth, errors []float64) {
	for k := range covered {
		half := 1.959964 * errors[k]
		if estimate[k]-half <= truth[k] && truth[k] <= estimate[k]+half {
			covered[k]++
		}
	}
}

func checkCoverage(t *testing.T, covered []int, runs int) {
	t.Helper()
	for k, count := range covered {
		if share := float64(count) / float64(runs); !(share >= 0.93 && share <= 0.97) {
			t.Errorf("coefficient %d is covered in %.1f %% of runs", k, 100*share)
		}
	}
	t.Logf("covered in %v of %d runs", covered, runs)
}

// TestLongMixtureCoverage: with two classes, 92 to 98% of all parameters over 100 runs lie within 1.96 standard errors of
// the truth, by the observed information. If the coverage is 95% and parameters were independent, the share of 700 would
// have the standard error √(.95·.05/700) = 0.8%, so that the band is 3.6 of them; the seeds fix the outcome.
func TestLongMixtureCoverage(t *testing.T) {
	const runs = 100
	classes := twoClasses
	classes.people = 300
	truth := append([]float64{math.Log(classes.shares[1] / classes.shares[0])}, slices.Concat(classes.theta...)...)
	covered := make([]int, len(truth))
	for run := range runs {
		records, person, _ := classes.draw(uint64(100 + run))
		e := must(choice.Mixture{Classes: 2, Seed: 1}.Fit(records, person)).Estimate
		countCovered(covered, e.Theta, truth, choice.StandardErrors(e.Covariance))
	}
	sum := 0
	for _, count := range covered {
		sum += count
	}
	t.Logf("covered, by parameter: %v of %d; together %d of %d", covered, runs, sum, runs*len(truth))
	if share := float64(sum) / float64(runs*len(truth)); share < 0.92 || share > 0.98 {
		t.Errorf("%.1f%% of the intervals cover", 100*share)
	}
}

// TestLongMixture: the shares of 5 classes of 100,000 choices are found.
func TestLongMixture(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	classes := classesOf{shares: []float64{0.3, 0.25, 0.2, 0.15, 0.1}, people: 10_000, each: 10, size: 4}
	for range classes.shares {
		classes.theta = append(classes.theta, randomVector(rng, 6, 1))
	}
	records, person, _ := classes.draw(6)
	fitted := must(choice.Mixture{Classes: 5, Seed: 1}.Fit(records, person))
	t.Logf("shares %.3f, %d of %d starts", fitted.Shares, fitted.Reached, fitted.Ended)
	approx.EqualSlices(t, "shares", fitted.Shares, classes.shares, 0.03) // five standard errors
}

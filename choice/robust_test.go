package choice_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// TestScoresAddUpToTheGradient: of every likelihood, and however the picks are
// divided into clusters.
func TestScoresAddUpToTheGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	records, ok := recordsTwin(t, rng, "rankings", 3, 80, 3).likelihood.(*choice.Records)
	if !ok {
		t.Fatal("no records")
	}
	theta := randomVector(rng, 3, 1)
	want, information := make([]float64, 3), mat.NewSymDense(3, nil)
	records.Derivatives(theta, want, information)
	clusters := make([]int, records.Tasks())
	for i := range clusters {
		clusters[i] = rng.IntN(7)
	}
	for name, by := range map[string][]int{"each task": nil, "seven people": clusters} {
		sum, count := make([]float64, 3), 0
		for score := range records.Scores(theta, by) {
			count++
			for k := range sum {
				sum[k] += score[k]
			}
		}
		approx.EqualSlices(t, name, sum, want, 1e-11)
		if by == nil && count != records.Tasks() || by != nil && count != 7 {
			t.Errorf("%s: %d clusters", name, count)
		}
	}

	c := randomCatalogue(t, rng, 6, 3)
	whole, parts := choice.NewTally(6), make([]*choice.Tally, 4)
	for i := range parts {
		parts[i] = choice.NewTally(6)
	}
	for i := range 60 {
		answer := randomAnswer(rng, 6)
		if whole.Add(answer) != nil || parts[i%4].Add(answer) != nil {
			t.Fatal("refused")
		}
	}
	linear := choice.NewLinear(c, whole)
	linear.Derivatives(theta, want, information)
	sum := make([]float64, 3)
	for score := range linear.Scores(theta, func(yield func(*choice.Tally) bool) {
		for _, part := range parts {
			if !yield(part) {
				return
			}
		}
	}) {
		for k := range sum {
			sum[k] += score[k]
		}
	}
	approx.EqualSlices(t, "linear", sum, want, 1e-11)
}

// TestRobustCovarianceOfCopies: data in which everyone's answers stand four times,
// clustered by person, has the sandwich of the data without copies: each cluster's
// score is four times as large, the information too.
func TestRobustCovarianceOfCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	const tasks, d = 150, 2
	var once, copied []float64
	var sizesOnce, sizesCopied, ranksOnce, ranksCopied, who []int
	for task := range tasks {
		cells := randomVector(rng, 3*d, 1)
		ranks := make([]int, 3)
		ranks[rng.IntN(3)] = 1
		once, sizesOnce, ranksOnce = append(once, cells...), append(sizesOnce, 3), append(ranksOnce, ranks...)
		for range 4 {
			copied, sizesCopied, ranksCopied = append(copied, cells...), append(sizesCopied, 3), append(ranksCopied, ranks...)
			who = append(who, task)
		}
	}
	names := []string{"x", "y"}
	a := must(choice.NewRecords(names, once, sizesOnce, ranksOnce))
	b := must(choice.NewRecords(names, copied, sizesCopied, ranksCopied))
	estimator := choice.Estimator{Tolerance: 1e-20}
	plain := mustEstimate(t, estimator, a)
	fourfold := mustEstimate(t, estimator, b)
	robustPlain := plain.RobustCovariance(a.Scores(plain.Theta, nil))
	robustFourfold := fourfold.RobustCovariance(b.Scores(fourfold.Theta, who))
	for k := range d {
		approx.EqualRelative(t, "robust variance", robustFourfold.At(k, k), robustPlain.At(k, k), 1e-9)
		approx.EqualRelative(t, "plain variance", 4*fourfold.Covariance.At(k, k), plain.Covariance.At(k, k), 1e-9)
	}
}

// TestFreeCovarianceOfTwoItems: with two items and n votes of which w went to the
// first, the log-odds have variance n/(w·(n−w)); utilities that sum to zero are
// half the log-odds each, with a quarter of the variance.
func TestFreeCovarianceOfTwoItems(t *testing.T) {
	tally := choice.NewTally(2)
	const w, n = 30., 100.
	for slot, weight := range []float64{w, n - w} {
		if err := tally.AddWeighted(choice.Answer{Question: choice.Question{0, 1}, Picks: []int{slot}}, weight); err != nil {
			t.Fatal(err)
		}
	}
	estimate := must(new(choice.Estimator).Estimate(choice.NewFree([]string{"a", "b"}, tally)))
	variance := n / (w * (n - w)) / 4
	approx.EqualRelative(t, "variance", estimate.Covariance.At(0, 0), variance, 1e-6)
	approx.EqualRelative(t, "covariance", estimate.Covariance.At(0, 1), -variance, 1e-6)
	approx.Equal(t, "sum", estimate.Theta[0]+estimate.Theta[1], 0, 1e-14)
}

func TestRecordsRefusals(t *testing.T) {
	inf := []float64{1, 2, 3, 1e308, -1e308, 0}
	_, err := choice.NewRecords([]string{"x"}, inf, []int{3, 3}, []int{1, 0, 0, 1, 0, 0})
	refused, ok := errors.AsType[*choice.TaskError](err)
	if !ok || refused.Task != 1 || refused.Row != 4 || refused.Problem != choice.NotFinite {
		t.Errorf("got %v", err)
	}
	for name, misuse := range map[string]func(){
		"no features":      func() { _, _ = choice.NewRecords(nil, nil, []int{2}, []int{1, 0}) },
		"cells":            func() { _, _ = choice.NewRecords([]string{"x"}, []float64{1}, []int{2}, []int{1, 0}) },
		"sizes":            func() { _, _ = choice.NewRecords([]string{"x"}, []float64{1, 2, 3}, []int{2}, []int{1, 0, 0}) },
		"clusters":         func() { _ = mustRecords().Scores([]float64{0}, []int{1, 2}) },
		"small tally":      func() { choice.NewTally(1) },
		"other catalogue":  func() { choice.NewFree([]string{"a"}, choice.NewTally(2)) },
		"ranking too deep": func() { choice.SampleRanking(rand.New(rand.NewPCG(1, 1)), []float64{1}, 2) },
		"empty softmax":    func() { choice.Probabilities(nil, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

func mustRecords() *choice.Records {
	r, err := choice.NewRecords([]string{"x"}, []float64{1, 2}, []int{2}, []int{1, 0})
	if err != nil {
		panic(err)
	}
	return r
}

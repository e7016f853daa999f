//go:build long

package simulate_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/evidence"
	"bestpick/internal/approx"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
	"bestpick/strategy/racing"
)

// meanQuestions runs a strategy on the paper's instance and returns the spread of
// its questions and how many runs were correct. It also fails the test where a run
// does not stop, or where the assumptions of the bound are said to hold.
func meanQuestions(
	t *testing.T, name string, settings baseline.Settings, d int, shift float64, noise crowd.Noise, runs int,
) (simulate.Spread, int) {
	t.Helper()
	instance := must(simulate.Soare(d, 0.01, shift))
	e := simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			own := settings
			own.Seed = seed
			return baseline.New(name, instance.Catalogue, own)
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent {
			return crowd.NewRandomUtility(instance.Catalogue, instance.Theta, noise, rng)
		},
		Runs: runs, Seed: 1,
	}
	all := must(e.Run(t.Context()))
	s := simulate.Summarise(all)
	if s.Stopped != runs {
		t.Errorf("%s: %d of %d runs stopped", name, s.Stopped, runs)
	}
	bound := evidence.PaperBound{Dim: d, Arms: d + 1, Delta: 0.05, Kappa: 0.5}
	if a, ok := e.Assumptions(all[0], bound); !ok || a.Hold() {
		t.Errorf("%s: %v", name, a)
	}
	t.Logf("%s, d = %d, K = %d: %.0f ± %.0f questions, %d of %d correct", name, d, settings.WithDefaults().K, s.Questions.Mean,
		s.Questions.SE, s.Correct, runs)
	return s.Questions, s.Correct
}

// TestLongTable1 is the paper's Table 1: d = 7, K = 3, Gaussian noise. The paper has
// 181,370 ± 1,085 for random, 166,761 ± 893 for static and 23,916 ± 713 for adaptive
// questions. It does not say which α it used; 0.085 was chosen to meet its number, so
// the third line shows that the number can be met, not that α was this
// (docs/strategies.md has every setting).
func TestLongTable1(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings baseline.Settings
		paper    float64
		within   float64
	}{
		{"random", baseline.Settings{}, 181_370, 0.05},
		{"static", baseline.Settings{}, 166_761, 0.03},
		{"adaptive", baseline.Settings{Alpha: 0.085}, 23_916, 0.10},
	} {
		questions, correct := meanQuestions(t, c.name, c.settings, 7, 0, crowd.Gaussian(1), 20)
		approx.EqualRelative(t, c.name, questions.Mean, c.paper, c.within)
		if correct != 20 {
			t.Errorf("%s: %d of 20 correct", c.name, correct)
		}
	}
}

// TestLongAdaptiveNeedsATenth: with softmax picks, K = 3 and d = 9.
func TestLongAdaptiveNeedsATenth(t *testing.T) {
	static, _ := meanQuestions(t, "static", baseline.Settings{}, 9, 0, crowd.Gumbel, 10)
	adaptive, _ := meanQuestions(t, "adaptive", baseline.Settings{}, 9, 0, crowd.Gumbel, 20)
	if !(static.Mean >= 10*adaptive.Mean) {
		t.Errorf("static needs %.0f questions, adaptive %.0f", static.Mean, adaptive.Mean)
	}
}

// TestLongShift: adding 0.1 to every coordinate of θ* makes the last arm the best and
// changes next to nothing that can be seen in so few answers. The adaptive strategy
// is wrong in nearly every run, at δ = 0.05.
func TestLongShift(t *testing.T) {
	_, correct := meanQuestions(t, "adaptive", baseline.Settings{}, 7, 0.1, crowd.Gumbel, 20)
	if correct > 1 {
		t.Errorf("%d of 20 runs were correct: docs/guarantee.md says hardly any", correct)
	}
}

// TestLongNamesOnly: of 100 studies of twelve arms without features at least 95 certify the best.
func TestLongNamesOnly(t *testing.T) {
	right := namesOnly(t, 100)
	t.Logf("%d of 100 studies certify the best", right)
	if right < 95 {
		t.Errorf("%d of 100 studies certify the best", right)
	}
}

// TestLongProduct: a product of 8 attributes with 5 levels each, 390,625 profiles, whose levels
// are 0.75 apart in utility, is decided right in 50 of 50 runs at δ = 0.05. (Were verdicts
// wrong as often as δ allows, that would happen in 8 % of such tests; the evidence is more
// careful than δ.)
func TestLongProduct(t *testing.T) {
	in := productInstance(t, 8, 5, 0.75, 1)
	if in.Catalogue.Len() != 390_625 {
		t.Fatalf("%d profiles", in.Catalogue.Len())
	}
	const runs = 50
	right, questions := 0, 0
	for _, run := range runProduct(t, in, runs) {
		if run.Certified && run.Correct {
			right++
		}
		questions += run.Questions
	}
	t.Logf("%d of %d certified and right, %d questions on average", right, runs, questions/runs)
	if right != runs {
		t.Errorf("%d of %d certified and right", right, runs)
	}
}

// halfBudgets are half of the answers that the instances of TestLongEfficiency need, by their seeds.
func halfBudgets() map[uint64]int { return map[uint64]int{1: 1490, 4: 330, 5: 233} }

// TestLongBudget: with half the budget that certification needs, the stated ε holds in at least 95 of 100
// runs at δ = 0.05, and is smaller than without a goal. The log compares it with races that aim at 1/1.5 of
// the mean from the beginning, which may stop at the first fluctuation of the evidence that is large enough.
func TestLongBudget(t *testing.T) {
	var stated, holds, all int
	var with, without float64
	for seed, budget := range halfBudgets() {
		in := sphereOf(t, 20, 5, 3, seed)
		limit := func(e *simulate.Experiment) { e.Runs, e.MaxQuestions = 34, budget }
		aimless := simulate.Summarise(race(t, in, racing.Settings{}, limit)).CertifiedEpsilon
		s := simulate.Summarise(race(t, in, racing.Settings{LinearOnly: racing.LinearOnly{Budget: budget}}, limit))
		epsilon := s.CertifiedEpsilon
		known := simulate.Summarise(race(t, in, racing.Settings{Epsilon: epsilon.Mean / 1.5}, limit))
		t.Logf("seed %d, %d answers: ε %.3f ± %.3f (from %.3f to %.3f) in %d of %d runs, holds in %d", seed, budget,
			epsilon.Mean, epsilon.SE, epsilon.Min, epsilon.Max, s.Stated, s.Runs, s.Holds)
		t.Logf("without a goal %.3f ± %.3f; a race for %.3f certifies %d", aimless.Mean, aimless.SE, epsilon.Mean/1.5, known.Certified)
		all, stated, holds = all+s.Runs, stated+s.Stated, holds+s.Holds
		with, without = with+epsilon.Mean, without+aimless.Mean
	}
	t.Logf("%d runs, %d state an ε, %d hold; with a goal it is %.2f of that without", all, stated, holds, with/without)
	if stated < all*95/100 || holds*100 < 95*stated || !(with < without) {
		t.Errorf("%d runs, %d state an ε, %d hold; the sum is %.3f with a goal, %.3f without", all, stated, holds, with, without)
	}
}

// TestLongBudgetIsValid: 200 runs at δ = 0.1 on 20 instances that end after 40, 80 and more answers. The
// stated ε is wrong in at most a tenth: a true share of 0.15 would give 30 ± 5 of 200, and one of 0.05 gives
// 10 ± 3.
func TestLongBudgetIsValid(t *testing.T) {
	const delta, runs = 0.1, 10
	var stated, wrong int
	for at := range 20 {
		in := sphereOf(t, 5+at%4, 2+at%3, []float64{1, 3}[at%2], uint64(at+1))
		budget := 40 + 40*(at%5)
		settings := racing.Settings{K: 2 + at%3, Delta: delta, LinearOnly: racing.LinearOnly{Budget: budget}}
		s := simulate.Summarise(race(t, in, settings, func(e *simulate.Experiment) {
			e.Runs, e.Seed, e.MaxQuestions = runs, uint64(at), budget
		}))
		stated, wrong = stated+s.Stated, wrong+s.Stated-s.Holds
	}
	t.Logf("%d runs state an ε, %d of them wrong", stated, wrong)
	if stated < 180 || wrong > 20 {
		t.Errorf("%d runs state an ε, %d of them wrong", stated, wrong)
	}
}

// TestLongLeaderboardCovers: 200 runs at δ = 0.1 on 20 instances, looked at every 50 answers and at the
// end. The runs in which any interval or any range of ranks is ever wrong are at most a tenth. A true
// share of 0.15 would give 30 ± 5 of 200, and one of 0.05 gives 10 ± 3: at most 20 tells them apart.
func TestLongLeaderboardCovers(t *testing.T) {
	const delta, runs = 0.1, 10
	var wrong, ranked, all int
	for at := range 20 {
		in := sphereOf(t, 5+at%4, 2+at%3, []float64{1, 3}[at%2], uint64(at+1))
		if at%5 == 0 {
			in = withCopies(t, in)
		}
		settings := racing.Settings{K: 2 + at%3, Delta: delta}
		if at%3 == 0 {
			settings.Epsilon = 0.2
		}
		var mutex sync.Mutex
		failed := map[int]bool{}
		for _, run := range race(t, in, settings, func(e *simulate.Experiment) {
			e.Runs, e.Seed, e.MaxQuestions = runs, uint64(at), 1000
			e.Leaderboards = runs
			e.Each = func(run, question int, s strategy.Strategy) {
				r, ok := s.(*racing.Linear)
				if !ok || question%50 != 0 {
					return
				}
				if ranks := r.Leaderboard(); !in.Covers(ranks, r.Verdict().Leader, strategy.Linear) {
					mutex.Lock()
					failed[run] = true
					mutex.Unlock()
				}
			}
		}) {
			if all++; run.Leaderboard != nil {
				ranked++
			}
			if !run.Covered || failed[run.Number] {
				wrong++
			}
		}
	}
	t.Logf("%d runs, %d with a leaderboard, %d with a wrong statement", all, ranked, wrong)
	if all != 200 || ranked != all || wrong > 20 {
		t.Errorf("of %d runs, %d with a leaderboard, %d have a wrong statement", all, ranked, wrong)
	}
}

// TestLongTopIsValid: 200 runs at δ = 0.1 on 20 instances, for two best arms and for rankings, with ε and
// copies. Wrong verdicts are at most a tenth: a true share of 0.15 would give 30 ± 5 of 200, and one of 0.05
// gives 10 ± 3.
func TestLongTopIsValid(t *testing.T) {
	const delta, runs = 0.1, 10
	var wrong, certified, all int
	for at := range 20 {
		in := sphereOf(t, 5+at%3, 2+at%2, 3, uint64(at+1))
		settings := racing.Settings{K: 2 + at%3, Delta: delta, Top: 2}
		if at%2 == 0 {
			settings.Top = racing.TopAll
		}
		if at%5 == 0 {
			in = withCopies(t, in)
		}
		if at%3 == 0 {
			settings.Epsilon = 0.2
		}
		for _, run := range race(t, in, settings, func(e *simulate.Experiment) {
			e.Runs, e.Seed, e.MaxQuestions = runs, uint64(at), 3000
		}) {
			all++
			if run.Certified {
				certified++
				if !run.Correct {
					wrong++
				}
			}
		}
	}
	t.Logf("%d runs, %d certified, %d wrong", all, certified, wrong)
	if all != 200 || certified < 80 || wrong > 20 {
		t.Errorf("of %d runs, %d certified, %d are wrong", all, certified, wrong)
	}
}

// TestLongTopCosts: on the five efficiency instances, the three best of 20 arms take at most 2.5 times the
// answers of the single best, summed over the instances, and fewer than the ranking of all, which is stopped at 12,000.
func TestLongTopCosts(t *testing.T) {
	var best, top float64
	for seed := range uint64(5) {
		in := sphereOf(t, 20, 5, 3, seed+1)
		mean := func(top int) simulate.Summary {
			return simulate.Summarise(race(t, in, racing.Settings{Top: top}, func(e *simulate.Experiment) {
				e.Runs, e.MaxQuestions = 5, 12_000
			}))
		}
		one, three, all := mean(0), mean(3), mean(racing.TopAll)
		t.Logf("seed %d: %.0f ± %.0f answers for the best", seed+1, one.Questions.Mean, one.Questions.SE)
		t.Logf("%.0f ± %.0f for three (%d of 5 stopped)", three.Questions.Mean, three.Questions.SE, three.Stopped)
		t.Logf("%.0f ± %.0f for all (%d of 5 stopped)", all.Questions.Mean, all.Questions.SE, all.Stopped)
		best, top = best+one.Questions.Mean, top+three.Questions.Mean
		if !(three.Questions.Mean < all.Questions.Mean) || three.Wrong+all.Wrong > 1 {
			t.Errorf("seed %d: %.0f answers for three and %.0f for all, %d and %d wrong", seed+1, three.Questions.Mean,
				all.Questions.Mean, three.Wrong, all.Wrong)
		}
	}
	t.Logf("three take %.2f times the answers of one", top/best)
	if !(top <= 2.5*best) {
		t.Errorf("three take %.2f times the answers of one", top/best)
	}
}

// recordedPrior summarises the picks of people with a given θ in questions of three random arms.
func recordedPrior(t *testing.T, in simulate.Instance, theta []float64, answers int, seed uint64) *racing.Prior {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	people, tally := crowd.NewMNL(in.Catalogue, theta, rng), choice.NewTally(in.Catalogue.Len())
	for range answers {
		q := choice.Question(rng.Perm(in.Catalogue.Len())[:3])
		if err := tally.Add(choice.Answer{Question: q, Picks: people.Pick(q, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	return must(racing.NewPrior(in.Catalogue, tally))
}

// others returns a θ of the same norm in a direction of its own.
func others(theta []float64, seed uint64) []float64 {
	rng, other := rand.New(rand.NewPCG(seed, 78)), make([]float64, len(theta))
	for k := range other {
		other[k] = rng.NormFloat64()
	}
	floats.Scale(floats.Norm(theta, 2)/floats.Norm(other, 2), other)
	return other
}

// TestLongPrior: on the five efficiency instances, 2,000 recorded picks of the same people save at least
// a fifth of the answers; those of other people, and of people with −θ, cost at most a tenth. The ratios to
// a race without a prior are averaged over the instances, and no run is wrong.
func TestLongPrior(t *testing.T) {
	ratios, sums := map[string]float64{}, map[string]float64{}
	for seed := uint64(1); seed <= 5; seed++ {
		in := sphereOf(t, 20, 5, 3, seed)
		opposite := floats.ScaleTo(make([]float64, 5), -1, in.Theta)
		without := 0.0
		for _, people := range []struct {
			name  string
			theta []float64
		}{{"none", nil}, {"same", in.Theta}, {"other", others(in.Theta, seed)}, {"opposite", opposite}} {
			name, theta := people.name, people.theta
			settings := racing.Settings{}
			if theta != nil {
				settings.Prior = recordedPrior(t, in, theta, 2000, seed)
			}
			s := simulate.Summarise(race(t, in, settings, nil))
			t.Logf("seed %d, %s: %.0f ± %.0f answers, %d of %d right", seed, name, s.Questions.Mean, s.Questions.SE, s.Correct, s.Runs)
			if s.Correct != s.Runs {
				t.Errorf("seed %d, %s: %d of %d right", seed, name, s.Correct, s.Runs)
			}
			if theta == nil {
				without = s.Questions.Mean
			}
			ratios[name] += s.Questions.Mean / without / 5
			sums[name] += s.Questions.Mean
		}
	}
	for name, most := range map[string]float64{"same": 0.8, "other": 1.1, "opposite": 1.1} {
		t.Logf("%s: %.3f times the answers, and %.3f times in all", name, ratios[name], sums[name]/sums["none"])
		if !(ratios[name] <= most) {
			t.Errorf("%s: %.3f times the answers, not %g", name, ratios[name], most)
		}
	}
}

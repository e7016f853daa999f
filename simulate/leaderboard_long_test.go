//go:build long

package simulate_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A boardCase is a crowd on which a leaderboard under majority must hold.
type boardCase struct {
	name     string
	instance boardInstance
	k        int
	arrivals float64
}

type boardInstance func(t *testing.T, seed uint64) (simulate.Instance, func(*rand.Rand) crowd.Respondent)

// tenEach returns the instances of a population whose people answer ten questions each.
func tenEach(of func(*testing.T, uint64) (simulate.Instance, crowd.Population)) boardInstance {
	return func(t *testing.T, seed uint64) (simulate.Instance, func(*rand.Rand) crowd.Respondent) {
		t.Helper()
		in, population := of(t, seed)
		return in, func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, 10, rng) }
	}
}

// troubled returns the crowd of a trouble with some arms.
func troubled(kind string, n int) boardInstance {
	return func(t *testing.T, _ uint64) (simulate.Instance, func(*rand.Rand) crowd.Respondent) {
		t.Helper()
		in, of, err := simulate.Trouble{Kind: kind}.WithDefaults().Of(n)
		if err != nil {
			t.Fatal(err)
		}
		return in, of
	}
}

func boardCases() []boardCase {
	return []boardCase{
		{name: "one softmax, names", k: 3, instance: tenEach(func(t *testing.T, seed uint64) (simulate.Instance, crowd.Population) {
			t.Helper()
			return simulate.Population{}.Of(named(t, 12, seed))
		})},
		{name: "random coefficients", k: 3, instance: tenEach(people(simulate.Population{Coefficients: 1}))},
		{name: "segments 90°, pairs", k: 2, instance: tenEach(people(simulate.Population{Classes: 2, Degrees: 90}))},
		{name: "cycle, pairs", k: 2, instance: tenEach(cycle(2))},
		{name: "minority", k: 3, instance: troubled("minority", 6)},
		{name: "pace, in real time", k: 3, instance: troubled("pace", 6), arrivals: 5},
	}
}

// TestLongMajorityLeaderboard: 400 runs for each crowd at δ = 0.1 and ε = 5 points, over ten instances, looked at
// after every question. In at most δ of them any interval or range of ranks is ever wrong: a true share of 0.15
// would give 60 ± 7, and one of 0.05 gives 20 ± 4, so at most 40 tells them apart. No interval grows while the same arm
// leads. How many of the third of the arms that fewest people choose over a certified one are shown to be worse, in how many
// runs all of them, and in how many the last third of the leaderboard, is reported.
func TestLongMajorityLeaderboard(t *testing.T) {
	const delta, instances, each, budget = 0.1, 10, 40, 3000
	for _, c := range boardCases() {
		t.Run(c.name, func(t *testing.T) {
			var all, ranked, wrong, grown, certified, above, last int
			var questions, share float64
			for seed := range uint64(instances) {
				in, of := c.instance(t, seed+1)
				boards := make([]board, each)
				settings := racing.Settings{K: c.k, Delta: delta, Epsilon: 0.2, Assume: strategy.Majority}
				for _, run := range race(t, in, settings, func(e *simulate.Experiment) {
					e.Runs, e.Seed, e.MaxQuestions, e.Picks, e.Arrivals, e.Crowd = each, seed, budget, c.k-1, c.arrivals, of
					e.Each = func(run, _ int, s strategy.Strategy) { boards[run].look(in, s) }
				}) {
					b := boards[run.Number]
					all, questions = all+1, questions+float64(run.Questions)
					ranked, wrong, grown = ranked+one(b.ranks != nil), wrong+one(b.wrong), grown+one(b.grown)
					if run.Certified {
						worse, of := b.worstThird(in)
						certified, above, share = certified+1, above+one(worse == of), share+float64(worse)/float64(of)
						last += one(shownWorse(b.ranks[len(b.ranks)-of:]) == of)
					}
				}
			}
			t.Logf("| %s | %d runs | %d ranked | %d wrong | %d certified | %d above the worst third | %.0f%% of it | %d above the last third | %.0f questions |",
				c.name, all, ranked, wrong, certified, above, 100*share/float64(max(certified, 1)), last, questions/float64(all))
			if ranked < all/2 || float64(wrong) > delta*float64(all) || grown > 0 {
				t.Errorf("of %d runs %d have a leaderboard, %d a wrong one, %d one with a growing interval", all, ranked, wrong, grown)
			}
		})
	}
}

// A board follows the leaderboards of a run.
type board struct {
	ranks        []strategy.Rank
	wrong, grown bool
}

// look checks the present leaderboard.
func (b *board) look(in simulate.Instance, s strategy.Strategy) {
	var ranks []strategy.Rank
	if race, ok := s.(interface{ Leaderboard() []strategy.Rank }); ok {
		ranks = race.Leaderboard()
	}
	b.wrong = b.wrong || ranks != nil && !in.Covers(ranks, ranks[0].Arm, strategy.Majority)
	if b.ranks != nil && ranks != nil && b.ranks[0].Arm == ranks[0].Arm {
		for _, r := range ranks {
			at := slices.IndexFunc(b.ranks, func(before strategy.Rank) bool { return before.Arm == r.Arm })
			b.grown = b.grown || r.Low < b.ranks[at].Low || r.High > b.ranks[at].High
		}
	}
	b.ranks = ranks
}

// worstThird returns how many of the third of the arms that fewest people choose over the leader are shown to be worse,
// and how many these are.
func (b *board) worstThird(in simulate.Instance) (worse, of int) {
	leader, ranks := b.ranks[0].Arm, slices.Clone(b.ranks)
	slices.SortFunc(ranks, func(x, y strategy.Rank) int {
		return cmp.Compare(in.Lead(x.Arm, leader, strategy.Majority), in.Lead(y.Arm, leader, strategy.Majority))
	})
	of = len(ranks) / 3
	return shownWorse(ranks[:of]), of
}

// shownWorse counts the arms that are shown to be worse than the leader.
func shownWorse(ranks []strategy.Rank) (count int) {
	for _, r := range ranks {
		count += one(r.High <= 0)
	}
	return count
}

// TestLongMajorityForecast: 400 studies of four crowds, over ten fresh instances each. At least 80% of the forecasts that
// are shown contain the final number of answers, at least half of the looks in the second half of a study have one, and
// at most 1% of consecutive ones differ by more than a factor of two at either end. Progress never falls. The lines of
// the forecast were fitted to other instances of the first three crowds.
func TestLongMajorityForecast(t *testing.T) {
	cases := slices.Concat(boardCases()[:3], []boardCase{{
		name: "24 names, four shown", k: 4,
		instance: tenEach(func(t *testing.T, seed uint64) (simulate.Instance, crowd.Population) {
			t.Helper()
			return simulate.Population{}.Of(named(t, 24, seed))
		}),
	}})
	var shown, within, late, lateShown, pairs, jumps int
	for _, c := range cases {
		own, held := 0, 0
		for seed := range uint64(10) {
			in, of := c.instance(t, seed+1)
			runs, looks := updates(t, in, c.k, 10, seed, of)
			for _, run := range runs {
				checkProgress(t, run, looks[run.Number])
				final := float64(run.Questions)
				var before update
				for _, u := range looks[run.Number] {
					isShown, isLate := u.high > 0, u.answered >= final/2 && u.answered < final
					late, lateShown = late+one(isLate), lateShown+one(isLate && isShown)
					if isShown {
						own, held = own+1, held+one(run.Stopped && u.low <= final && final <= u.high)
						if before.high > 0 {
							pairs++
							jumps += one(max(u.low/before.low, before.low/u.low, u.high/before.high, before.high/u.high) > 2)
						}
					}
					before = u
				}
			}
		}
		t.Logf("%s: %d forecasts shown, %.1f%% hold", c.name, own, 100*float64(held)/float64(max(own, 1)))
		shown, within = shown+own, within+held
	}
	t.Logf("of %d forecasts shown %.1f%% hold; shown in %.1f%% of late looks; %d of %d jump", shown,
		100*float64(within)/float64(shown), 100*float64(lateShown)/float64(late), jumps, pairs)
	if float64(within) < 0.8*float64(shown) || 2*lateShown < late || float64(jumps) > 0.01*float64(pairs) {
		t.Error("the forecast is not calibrated")
	}
}

// TestLongMajorityTop: 400 runs for each crowd at δ = 0.1 and ε = 5 points, over ten instances. In at most δ of them another
// option than the three that are certified is chosen over one of them by more people. At most 40 tells a share of 0.15 from
// one of 0.05, as above.
func TestLongMajorityTop(t *testing.T) {
	const delta, instances, each, budget = 0.1, 10, 40, 6000
	for _, c := range boardCases() {
		t.Run(c.name, func(t *testing.T) {
			all, certified, wrong, questions := 0, 0, 0, 0.0
			for seed := range uint64(instances) {
				in, of := c.instance(t, seed+1)
				settings := racing.Settings{K: c.k, Delta: delta, Epsilon: 0.2, Assume: strategy.Majority, Top: 3}
				for _, run := range race(t, in, settings, func(e *simulate.Experiment) {
					e.Runs, e.Seed, e.MaxQuestions, e.Picks, e.Arrivals, e.Crowd = each, seed, budget, c.k-1, c.arrivals, of
				}) {
					all, questions = all+1, questions+float64(run.Questions)
					certified, wrong = certified+one(run.Certified), wrong+one(run.Certified && !run.Majority)
				}
			}
			t.Logf("| %s | %d runs | %d certified | %d wrong | %.0f questions |", c.name, all, certified, wrong, questions/float64(all))
			if float64(wrong) > delta*float64(all) {
				t.Errorf("%d of %d runs are wrong", wrong, all)
			}
		})
	}
}

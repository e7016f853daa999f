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
// leads. How many of the third of the arms that fewest people choose over a certified one are shown to be worse, and
// in how many runs all of them, is reported.
func TestLongMajorityLeaderboard(t *testing.T) {
	const delta, instances, each, budget = 0.1, 10, 40, 3000
	for _, c := range boardCases() {
		t.Run(c.name, func(t *testing.T) {
			var all, ranked, wrong, grown, certified, above int
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
					}
				}
			}
			t.Logf("| %s | %d runs | %d ranked | %d wrong | %d certified | %d above the worst third | %.0f%% of it | %.0f questions |",
				c.name, all, ranked, wrong, certified, above, 100*share/float64(max(certified, 1)), questions/float64(all))
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
	for _, r := range ranks[:of] {
		worse += one(r.High <= 0)
	}
	return worse, of
}

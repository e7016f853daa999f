package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// Judging compares 12 models by their replies to 200 prompts.
const (
	judgedModels  = 12
	judgedPrompts = 200
	judgingDelta  = 0.05
)

// A judgedRun is the result of a study with three judges, the last of whom picks at random.
type judgedRun struct {
	verdict strategy.Verdict
	ranks   int
	random  bool // the random judge is called random
	wrong   bool // an honest judge is called random
}

// judge runs a study whose prompts change the utilities of the replies.
func judge(t *testing.T, seed uint64) (run judgedRun) {
	t.Helper()
	ids, judges := make([]string, judgedModels), []string{"anna", "ben", "random"}
	for i := range ids {
		ids[i] = fmt.Sprintf("model-%d", i)
	}
	arms := must(choice.NewNames(ids))
	race := must(racing.New(arms, racing.Settings{K: 2, Delta: judgingDelta, Model: racing.Model{Clicks: true}, Seed: seed}))
	jury := must(checks.NewJury(arms, choice.Offer{}, judges))
	rng := rand.New(rand.NewPCG(seed, 28))
	utilities := replies(rng)
	contexts := archive.Contexts{Names: make([]string, judgedPrompts)}
	for position := int64(0); race.Verdict().Status == strategy.Asking && position < 20_000; position++ {
		question := must(race.Ask())
		who, prompt := rng.IntN(len(judges)), contexts.At(seed, position)
		pick := rng.IntN(len(question))
		if judges[who] != "random" {
			pick = choice.SamplePick(rng, []float64{utilities[question[0]][prompt], utilities[question[1]][prompt]})
		}
		answer := choice.Answer{Question: question, Picks: []int{pick}, Respondent: judges[who]}
		if err := race.Tell(answer); err != nil {
			t.Fatal(err)
		}
		if err := jury.Tell(answer); err != nil {
			t.Fatal(err)
		}
	}
	report := must(jury.Report(judgingDelta, func() error { return nil }))
	run.verdict, run.ranks = race.Verdict(), len(report.Utilities)
	for _, j := range report.Judges {
		run.random = run.random || j.Random && j.Name == "random"
		run.wrong = run.wrong || j.Random && j.Name != "random"
	}
	return run
}

// replies returns the utilities of the replies of each model to each prompt. Model 3 is the best on
// average.
func replies(rng *rand.Rand) [][]float64 {
	utilities := make([][]float64, judgedModels)
	for model := range utilities {
		utilities[model] = make([]float64, judgedPrompts)
		for prompt := range utilities[model] {
			utilities[model][prompt] = 0.3*rng.NormFloat64() - 0.15*float64((model+judgedModels-3)%judgedModels)
			if model != 3 {
				utilities[model][prompt] -= 0.5
			}
		}
	}
	return utilities
}

// TestJudges: the best of 12 models is certified although one of three judges picks at random, and that
// judge is found.
func TestJudges(t *testing.T) {
	var found []uint64
	for seed := range uint64(3) {
		run := judge(t, seed)
		if run.verdict.Status != strategy.Certified || run.verdict.Leader != 3 || run.ranks != judgedModels {
			t.Errorf("seed %d: %v, leader %d", seed, run.verdict.Status, run.verdict.Leader)
		}
		if run.random {
			found = append(found, seed)
		}
		t.Logf("seed %d: %d answers, random judge found: %v, honest judge called random: %v", seed, run.verdict.Answered,
			run.random, run.wrong)
	}
	if len(slices.Compact(found)) < 2 {
		t.Errorf("the random judge was found in %d of 3 runs", len(found))
	}
}

package choice_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bestpick/choice"
)

// contents describes a tally in full, whatever order it was filled in.
func contents(tally *choice.Tally) string {
	var lines []string
	for arms, wins := range tally.Questions() {
		lines = append(lines, fmt.Sprint(arms, wins))
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d arms, %v picks, %v", tally.Arms(), tally.Picks(), lines)
}

// drawAnswers draws answers about n arms, with repeats and rankings.
func drawAnswers(t *rapid.T, n int) []choice.Answer {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	answers := make([]choice.Answer, rapid.IntRange(0, 40).Draw(t, "answers"))
	for i := range answers {
		answers[i] = randomAnswer(rng, n)
	}
	return answers
}

func tallyOf(t *rapid.T, n int, answers []choice.Answer) *choice.Tally {
	tally := choice.NewTally(n)
	for _, a := range answers {
		if err := tally.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	return tally
}

func TestTallyForgetsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 5
		answers := drawAnswers(t, n)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 0))
		shuffled := slices.Clone(answers)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for i, a := range shuffled { // and the order on the screen
			turned := choice.Answer{Question: make(choice.Question, len(a.Question))}
			to := rng.Perm(len(a.Question))
			for slot, arm := range a.Question {
				turned.Question[to[slot]] = arm
			}
			for _, slot := range a.Picks {
				turned.Picks = append(turned.Picks, to[slot])
			}
			shuffled[i] = turned
		}
		if a, b := contents(tallyOf(t, n, answers)), contents(tallyOf(t, n, shuffled)); a != b {
			t.Fatalf("in order  %s\nshuffled  %s", a, b)
		}
	})
}

func TestTallyExpandsRankings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 5
		answers := drawAnswers(t, n)
		byHand := choice.NewTally(n)
		for _, a := range answers {
			shown := slices.Clone(a.Question)
			arms := make([]int, len(a.Picks))
			for i, slot := range a.Picks {
				arms[i] = a.Question[slot]
			}
			for _, arm := range arms {
				slot := slices.Index(shown, arm)
				same := !slices.ContainsFunc(shown, func(other int) bool { return other != arm })
				if len(shown) < 2 || same {
					break // nothing left that the model could learn from
				}
				if err := byHand.Add(choice.Answer{Question: shown, Picks: []int{slot}}); err != nil {
					t.Fatal(err)
				}
				shown = slices.Delete(shown, slot, slot+1)
			}
		}
		if a, b := contents(tallyOf(t, n, answers)), contents(byHand); a != b {
			t.Fatalf("expanded  %s\nby hand   %s", a, b)
		}
	})
}

func TestTallyCounts(t *testing.T) {
	tally := choice.NewTally(4)
	for _, a := range []choice.Answer{
		{Question: choice.Question{2, 0}, Picks: []int{0}},
		{Question: choice.Question{0, 2}, Picks: []int{0}},
		{Question: choice.Question{3, 1, 3}, Picks: []int{2}},
		{Question: choice.Question{3, 1, 3}, Picks: []int{1}},
	} {
		if err := tally.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	for _, slot := range []int{0, 1} { // a tie is half a win each
		if err := tally.AddWeighted(choice.Answer{Question: choice.Question{0, 2}, Picks: []int{slot}}, 0.5); err != nil {
			t.Fatal(err)
		}
	}
	want := "4 arms, 5 picks, [[0 2] [1.5 1.5] [1 3 3] [1 1 0]]"
	if got := contents(tally); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if tally.Distinct() != 2 {
		t.Errorf("%d distinct questions, want 2", tally.Distinct())
	}
}

func TestTallyRefusesAndStays(t *testing.T) {
	tally := choice.NewTally(3)
	good := choice.Answer{Question: choice.Question{0, 1}, Picks: []int{0}}
	if err := tally.Add(good); err != nil {
		t.Fatal(err)
	}
	before := contents(tally)
	for _, bad := range []choice.Answer{
		{Question: choice.Question{0, 3}, Picks: []int{0}},
		{Question: choice.Question{0, 2}, Picks: []int{2}},
		{Question: choice.Question{0, 2}},
		{Question: choice.Question{1, 1}, Picks: []int{0}},
	} {
		if tally.Add(bad) == nil {
			t.Errorf("%v was counted", bad)
		}
	}
	for _, weight := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if tally.AddWeighted(good, weight) == nil {
			t.Errorf("weight %v was counted", weight)
		}
	}
	if contents(tally) != before {
		t.Errorf("a refused answer changed the tally to %s", contents(tally))
	}
}

func TestTallyReset(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	used := choice.NewTally(6)
	for range 50 {
		if err := used.Add(randomAnswer(rng, 6)); err != nil {
			t.Fatal(err)
		}
	}
	used.Reset()
	if got, want := contents(used), contents(choice.NewTally(6)); got != want {
		t.Errorf("after Reset: %s", got)
	}
	fresh := choice.NewTally(6)
	for range 50 {
		a := randomAnswer(rng, 6)
		if used.Add(a) != nil || fresh.Add(a) != nil {
			t.Fatal("refused")
		}
	}
	if contents(used) != contents(fresh) {
		t.Error("a tally that was reset counts differently from a new one")
	}
}

// TestTallyOfKnownQuestionsDoesNotGrow: the memory of a tally depends on the
// distinct questions, so counting known ones allocates nothing.
func TestTallyOfKnownQuestionsDoesNotGrow(t *testing.T) {
	tally := choice.NewTally(5)
	a := choice.Answer{Question: choice.Question{4, 2, 0}, Picks: []int{1, 2}}
	if allocated := testing.AllocsPerRun(1000, func() {
		if err := tally.Add(a); err != nil {
			t.Fatal(err)
		}
	}); allocated != 0 {
		t.Errorf("%v allocations an answer", allocated)
	}
}

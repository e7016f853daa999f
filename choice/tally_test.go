package choice_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bestpick/choice"
	"bestpick/internal/approx"
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

func TestTallySurvivesJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	c := randomCatalogue(t, rng, 6, 3)
	tally := choice.NewTally(6)
	for i := range 80 {
		weight := rng.Float64() + 0.1
		if i%2 == 0 { // integers have an encoding of their own
			weight = float64(1 + i*i*i)
		}
		if err := tally.AddWeighted(randomAnswer(rng, 6), weight); err != nil {
			t.Fatal(err)
		}
	}
	text := must(json.Marshal(tally))
	restored := choice.NewTally(2)
	if err := json.Unmarshal(text, restored); err != nil {
		t.Fatal(err)
	}
	for range 20 { // and it goes on as it would have
		a := randomAnswer(rng, 6)
		if tally.Add(a) != nil || restored.Add(a) != nil {
			t.Fatal("refused")
		}
	}
	if contents(tally) != contents(restored) {
		t.Errorf("%s\n%s", contents(tally), contents(restored))
	}
	theta := []float64{1, -0.5, 0.3}
	if a, b := choice.NewLinear(c, tally).LogLikelihood(theta), choice.NewLinear(c, restored).LogLikelihood(theta); a != b {
		t.Errorf("log-likelihood %v and %v", a, b)
	}
}

// TestBadTallyJSON: malformed data is an error, and never a panic.
func TestBadTallyJSON(t *testing.T) {
	for name, text := range map[string]string{
		"one arm":               `{"arms":1,"seen":[],"wins":[],"questions":""}`,
		"wins of unknown arms":  `{"arms":3,"seen":[0],"wins":[1,2],"questions":""}`,
		"no slots":              `{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AA=="}`,
		"a slot of no arm":      `{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AgAFAgAC"}`,
		"cut off in the slots":  `{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AgA="}`,
		"cut off in the weight": `{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AgABAQ=="}`,
		"not a weight":          `{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AgABAwAC"}`,
	} {
		if err := new(choice.Tally).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := new(choice.Tally).UnmarshalJSON([]byte(`{"arms":3,"seen":[0,1],"wins":[1,0],"questions":"AgABAgAC"}`)); err != nil {
		t.Error(err)
	}
}

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

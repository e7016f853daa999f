package recorded_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/approx"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

// TestOfferedChoicesHaveTheLikelihoodOfTheirAnswers writes simulated answers in long form. Read back, they
// have the likelihood of the answers, at any θ.
func TestOfferedChoicesHaveTheLikelihoodOfTheirAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	rows := make([][]float64, 8)
	ids := make([]string, 8)
	for i := range rows {
		ids[i], rows[i] = fmt.Sprint("a", i), []float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	c, err := choice.NewCatalogue(ids, []string{"x", "y"}, rows)
	testsupport.NoError(t, err)
	for _, o := range []choice.Offer{
		{Outside: true},
		{Ties: true},
		{BestWorst: true},
		{Outside: true, Ties: true, BestWorst: true},
	} {
		respondent := crowd.NewOffered(o, crowd.Constants{Outside: 0.2, Tie: -0.4}, func(arm int) float64 { return rows[arm][0] }, rng)
		x := choice.NewAlternatives(c, o)
		tally := choice.NewTally(x.Rows().Len())
		var text strings.Builder
		text.WriteString("task,chosen,worst,x,y\n")
		for task := range 60 {
			a := crowd.Answer(respondent, rng.Perm(8)[:2+rng.IntN(3)], 1)
			testsupport.NoError(t, x.Count(tally, a))
			for slot, arm := range a.Question {
				chosen, worst := 0, ""
				if a.Picks[0] == slot || a.Picks[0] == choice.Tie {
					chosen = 1
				}
				if len(a.Picks) > 1 && a.Picks[1] == slot {
					worst = "1"
				}
				fmt.Fprintf(&text, "%d,%d,%s,%v,%v\n", task, chosen, worst, rows[arm][0], rows[arm][1])
			}
		}
		columns := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"x", "y"}, Outside: o.Outside, Ties: o.Ties}
		if o.BestWorst {
			columns.Worst = "worst"
		}
		choices := read(t, text.String(), columns)
		linear := choice.NewLinear(x.Rows(), tally)
		if got, want := fmt.Sprint(choices.Records.Names()), fmt.Sprint(linear.Names()); got != want {
			t.Fatalf("parameters %s, want %s", got, want)
		}
		if choices.Tasks != 60 || choices.Records.Picks() != linear.Picks() {
			t.Errorf("%+v: %d tasks with %v choices, want 60 with %v", o, choices.Tasks, choices.Records.Picks(), linear.Picks())
		}
		for range 5 {
			theta := make([]float64, len(linear.Names()))
			for k := range theta {
				theta[k] = 2 * rng.NormFloat64()
			}
			approx.Equal(t, "log-likelihood", choices.Records.LogLikelihood(theta), linear.LogLikelihood(theta), 1e-9)
		}
	}
}

// TestOfferedRefusals: the place of every problem.
func TestOfferedRefusals(t *testing.T) {
	all := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"x"}, Outside: true, Ties: true, Worst: "worst"}
	for want, text := range map[string]string{
		`choices.csv:3: column "chosen": task "1" has some chosen`: "task,chosen,worst,x\n1,0,,1\n1,1,,2\n1,1,,3\n",
		`choices.csv:4: column "worst": task "1" has two worst`:    "task,chosen,worst,x\n1,1,,1\n1,0,1,2\n1,0,1,3\n",
		`choices.csv:2: column "worst": task "1" has the same`:     "task,chosen,worst,x\n1,1,1,1\n1,0,0,2\n1,0,,3\n",
		`choices.csv:3: column "worst": task "1" has the same`:     "task,chosen,worst,x\n1,1,0,1\n1,1,1,2\n1,1,,3\n",
		`choices.csv:3: column "worst": "maybe" is neither`:        "task,chosen,worst,x\n1,1,,1\n1,0,maybe,2\n",
		`choices.csv: two parameters would be called "none"`:       "task,chosen,worst,x,none\n1,1,,1,1\n1,0,,2,2\n",
	} {
		columns := all
		if strings.Contains(text, ",none") {
			columns.Features = []string{"x", "none"}
		}
		_, err := recorded.ReadLong(strings.NewReader(text), "choices.csv", columns)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	only := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"x"}, Outside: true}
	if _, err := recorded.ReadLong(strings.NewReader("task,chosen,x\n1,1,1\n1,1,2\n"), "choices.csv", only); err == nil {
		t.Error("two chosen alternatives were read without ties")
	}
}

// TestOneAlternativeOrNone: with an outside option one alternative is a choice.
func TestOneAlternativeOrNone(t *testing.T) {
	columns := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"x"}, Outside: true}
	choices := read(t, "task,chosen,x\n1,1,1\n2,0,2\n", columns)
	// log σ(θ − κ) + log(1 − σ(2θ − κ)) at θ = 1 and κ = 0.5
	approx.Equal(t, "log-likelihood", choices.Records.LogLikelihood([]float64{1, 0.5}),
		-0.4740769841801067-1.7014132779827524, 1e-12)
}

// TestOfferedWeights: a weight of 2 counts a task twice, with its choice of the worst.
func TestOfferedWeights(t *testing.T) {
	columns := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"x"}, Outside: true, Worst: "worst"}
	repeated := "task,chosen,worst,x\n1,1,0,1\n1,0,1,2\n1,0,0,4\n2,0,0,2\n2,0,0,3\n3,1,0,1\n3,0,1,2\n3,0,0,4\n"
	weighted := "task,chosen,worst,x,w\n1,1,0,1,2\n1,0,1,2,2\n1,0,0,4,2\n2,0,0,2,1\n2,0,0,3,1\n"
	want := read(t, repeated, columns)
	columns.Weight = "w"
	got := read(t, weighted, columns)
	theta := []float64{0.7, -0.3}
	approx.Equal(t, "log-likelihood", got.Records.LogLikelihood(theta), want.Records.LogLikelihood(theta), 1e-12)
	if fmt.Sprint(got.TaskOf) != "[0 0 1]" || got.Tasks != 2 || got.Rows != 5 {
		t.Errorf("%d tasks with %d rows, records of tasks %v", got.Tasks, got.Rows, got.TaskOf)
	}
}

// TestOutsideInWideForm: a pick of none is empty, 0 or none. A task with one available alternative is a
// choice between it and none.
func TestOutsideInWideForm(t *testing.T) {
	columns := recorded.LongForm{
		Task: "task", Alternative: "alternative", Chosen: "choice", Available: "av", Features: []string{"x"}, Outside: true,
	}
	wide := "x_a,x_b,av_a,av_b,choice\n1,2,1,1,a\n3,1,1,1,none\n2,5,1,1,0\n1,1,1,0,\n2,4,0,1,2\n"
	long := "task,x,choice\n1,1,1\n1,2,0\n2,3,0\n2,1,0\n3,2,0\n3,5,0\n4,1,0\n5,4,1\n"
	got := read(t, wide, columns)
	columns.Available = ""
	want := read(t, long, columns)
	theta := []float64{0.7, -0.3}
	approx.Equal(t, "log-likelihood", got.Records.LogLikelihood(theta), want.Records.LogLikelihood(theta), 1e-12)
	columns.Ties = true
	if _, err := recorded.ReadLong(strings.NewReader(wide), "wide.csv", columns); err == nil ||
		!strings.Contains(err.Error(), "needs a row for each alternative") {
		t.Errorf("got %v", err)
	}
}

// TestWorstMustBeAvailable: an alternative that was not on offer cannot be the worst.
func TestWorstMustBeAvailable(t *testing.T) {
	columns := recorded.LongForm{Task: "task", Chosen: "chosen", Available: "av", Worst: "worst", Features: []string{"x"}}
	text := "task,chosen,worst,av,x\n1,1,0,1,1\n1,0,1,0,2\n1,0,0,1,3\n"
	_, err := recorded.ReadLong(strings.NewReader(text), "choices.csv", columns)
	if want := `choices.csv:3: column "av": the alternative was picked, but is not available`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

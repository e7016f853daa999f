package checks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// noPause never stops a report.
func noPause() error { return nil }

// models returns arms without features, and utilities.
func models(t *testing.T, n int) (*choice.Catalogue, []float64) {
	t.Helper()
	ids, utilities := make([]string, n), make([]float64, n)
	for i := range ids {
		ids[i], utilities[i] = fmt.Sprintf("model-%d", i), -float64(i)*2/float64(n)
	}
	arms := must(choice.NewNames(ids))
	return arms, utilities
}

// judged returns the report about judges who follow the utilities with some factors, in random pairs.
func judged(t *testing.T, answers int, seed uint64, factors ...float64) *JuryReport {
	t.Helper()
	arms, utilities := models(t, 12)
	var names []string
	for i := range factors {
		names = append(names, fmt.Sprint("judge ", i))
	}
	jury := must(NewJury(arms, choice.Offer{}, names))
	rng := rand.New(rand.NewPCG(seed, 1))
	for range answers {
		who, pair := rng.IntN(len(factors)), rng.Perm(12)[:2]
		u := []float64{factors[who] * utilities[pair[0]], factors[who] * utilities[pair[1]]}
		a := choice.Answer{Question: pair, Picks: []int{choice.SamplePick(rng, u)}, Respondent: names[who]}
		if err := jury.Tell(a); err != nil {
			t.Fatal(err)
		}
	}
	return must(jury.Report(0.05, noPause))
}

// TestJury: a judge with random picks is found, and one against the others has a negative scale.
func TestJury(t *testing.T) {
	report := judged(t, 1200, 1, 1, 1, 0)
	if len(report.Judges) != 3 || report.Answers != 1200 {
		t.Fatalf("%+v", report)
	}
	for i, r := range report.Judges {
		if random := i == 2; r.Random != random || r.Answers < 200 {
			t.Errorf("%+v", r)
		}
		approx.Equal(t, "chance", r.Chance, 0.5, 1e-9)
	}
	if r := judged(t, 1200, 1, 1, 1, 1, -1).Judges[3]; r.Scale > 0 || r.Agreement > 0.5 {
		t.Errorf("opposes: %+v", r)
	}
	honest := judged(t, 1200, 2, 1, 1, 1)
	if slices.Index(honest.Utilities, slices.Max(honest.Utilities)) > 2 {
		t.Errorf("%+v", honest)
	}
	approx.Equal(t, "agreement", honest.Agreement, honest.Expected, 0.05)
	sum := 0.0
	for i, u := range honest.Utilities {
		sum += u
		if e := honest.Errors[i]; e < 0.05 || e > 0.5 {
			t.Errorf("the error of model %d is %g", i, e)
		}
	}
	approx.Equal(t, "sum of the utilities", sum, 0, 1e-9)
}

// TestJuryErrors: of honest judges, few are called random, also with few answers.
func TestJuryErrors(t *testing.T) {
	for _, answers := range []int{100, 300, 1000} {
		const runs = 60
		wrong, missed := 0, 0
		for seed := range uint64(runs) {
			if slices.ContainsFunc(judged(t, answers, seed, 1, 1, 1).Judges, func(r Judgement) bool { return r.Random }) {
				wrong++
			}
			if !slices.ContainsFunc(judged(t, answers, seed, 1, 1, 0).Judges,
				func(r Judgement) bool { return r.Random && r.Name == "judge 2" }) {
				missed++
			}
		}
		t.Logf("%d answers: %d of %d wrong, %d missed", answers, wrong, runs, missed)
		if wrong > 8 { // 3 are expected at most; 9 or more have probability 0.004
			t.Errorf("%d answers: honest judges are called random in %d of %d runs", answers, wrong, runs)
		}
		if answers == 1000 && missed > 1 {
			t.Errorf("%d answers: the random judge is missed in %d of %d runs", answers, missed, runs)
		}
	}
}

// TestJuryWithoutEnough: nothing is said about judges with few answers, or without others.
func TestJuryWithoutEnough(t *testing.T) {
	if r := judged(t, 30, 1, 1, 1); len(r.Judges) != 0 || len(r.Utilities) != 12 {
		t.Errorf("%+v", r)
	}
	if r := judged(t, 500, 1, 1); len(r.Judges) != 0 {
		t.Errorf("%+v", r)
	}
	if r := judged(t, 0, 1, 1); r.Answers != 0 || r.Judges != nil {
		t.Errorf("%+v", r)
	}
	arms, _ := models(t, 3)
	if _, err := NewJury(arms, choice.Offer{}, make([]string, MaxJudges+1)); err == nil {
		t.Error("too many judges were accepted")
	}
}

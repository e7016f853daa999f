package checks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestRules: the rules find fast answers, people beyond the limit of their network and people who straight-line, and no
// others. Unknown times and networks are 0.
func TestRules(t *testing.T) {
	rules := UsualRules()
	for seconds, want := range map[float64]bool{0: false, 0.005: true, 0.999: true, 1: false, 60: false} {
		if rules.IsFast(seconds) != want || (Rules{}).IsFast(seconds) {
			t.Errorf("%v seconds: fast is %v by the usual rules, %v without any", seconds, rules.IsFast(seconds),
				(Rules{}).IsFast(seconds))
		}
	}
	for nth, want := range map[int]bool{0: false, 1: false, 8: false, 9: true} {
		if rules.IsCrowded(nth) != want || (Rules{}).IsCrowded(nth) {
			t.Errorf("person %d of a network: crowded is %v, want %v", nth, rules.IsCrowded(nth), want)
		}
	}
	var answers []choice.Answer
	tell := func(name string, slot int) {
		answers = append(answers, choice.Answer{Question: choice.Question{0, 1, 2}, Picks: []int{slot}, Respondent: name})
	}
	for i := range 12 {
		tell("left", 0)
		tell("ann", (i*i)%3)
		tell("bob", i%3)
		tell("none", choice.None)
		tell("", 0)
	}
	if diff := cmp.Diff([]string{"left"}, Straight(answers)); diff != "" {
		t.Error(diff)
	}
	for slots, most := range map[int]int{2: 12, 3: 8} { // as the comment of IsStraight says
		var line Lining
		n := 0
		for ; n < 20 && !line.IsStraight(); n++ {
			line = line.Add(slots, 0)
		}
		if n != most {
			t.Errorf("with %d slots it takes %d answers, want %d", slots, n, most)
		}
	}
}

// TestSameSlotIsFair: of 20,000 people who look, with 30 answers each, at most one of 20 ever
// reaches odds of 20; a share of exactly that would show as 0.05 ± 0.0015.
func TestSameSlotIsFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const people = 20_000
	reached := 0
	for range people {
		var line Lining
		ever := false
		for range 30 {
			line = line.Add(3, rng.IntN(3))
			ever = ever || line.log() >= math.Log(20)
		}
		if ever {
			reached++
		}
	}
	if reached > people/20 {
		t.Errorf("%d of %d", reached, people)
	}
}

// TestClicking: the log-odds are high for a respondent who clicks at random, and low for others.
func TestClicking(t *testing.T) {
	s := must(NewStudy(arms(t)))
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range 3000 {
		q := choice.Question(rng.Perm(6)[:3])
		utilities := s.arms.Utilities(nil, q, []float64{2, -1})
		name := fmt.Sprint("r", i%30)
		if name == "r7" {
			clear(utilities)
		}
		if err := s.Tell(choice.Answer{Question: q, Picks: []int{choice.SamplePick(rng, utilities)}, Respondent: name}); err != nil {
			t.Fatal(err)
		}
	}
	if random, other := s.monitor.clicking("r7"), s.monitor.clicking("r8"); !(random > 3 && other < -3) ||
		s.monitor.clicking("absent") != 0 {
		t.Errorf("%v for who clicks, %v for another", random, other)
	}
}

// TestStrangers: a monitor that remembers three respondents counts a forgotten respondent who
// returns as a new one. So does a copy that was made on the way.
func TestStrangers(t *testing.T) {
	const remembered, answers = 3, 400
	some, all := study(t, 0), study(t, 0)
	some.monitor.capacity = remembered
	rng := rand.New(rand.NewPCG(4, 2))
	var known []string // by the name that they came with, those that came first first
	visits := map[string]int{}
	for i := range answers {
		name := fmt.Sprint("r", min(rng.IntN(6), rng.IntN(6)))
		renamed := fmt.Sprint(name, " ", visits[name])
		if !slices.Contains(known, renamed) {
			visits[name]++
			renamed = fmt.Sprint(name, " ", visits[name])
			known = append(known, renamed)
			known = known[max(0, len(known)-remembered):]
		}
		a := choice.Answer{Question: rng.Perm(6)[:3], Picks: []int{rng.IntN(3)}, Respondent: name}
		if err := some.Tell(a); err != nil {
			t.Fatal(err)
		}
		if a.Respondent = renamed; all.Tell(a) != nil {
			t.Fatal("the answer is refused")
		}
		if i == answers/2 {
			copied := NewMonitor(some.arms, some.arms, some.tally)
			copied.capacity = remembered
			copied.Restore(some.monitor.State())
			some.monitor = copied
		}
	}
	if met := some.monitor.state.Met; met < 50 || len(some.monitor.state.Respondents) != remembered ||
		len(some.monitor.index) != remembered {
		t.Errorf("%d were met, and %v are remembered", met, some.monitor.state.Respondents)
	}
	for c, bets := range some.monitor.all() {
		if diff := cmp.Diff(all.monitor.all()[c].Logs, bets.Logs); diff != "" {
			t.Errorf("%v: %s", Check(c), diff)
		}
	}
	if name := known[0]; some.monitor.clicking(name[:2]) != all.monitor.clicking(name) || some.monitor.clicking(name[:2]) == 0 {
		t.Errorf("%s clicks at random by %v", name, some.monitor.clicking(name[:2]))
	}
}

// TestMostPeople: a live study remembers a few thousand respondents, one that is looked at
// afterwards all of them.
func TestMostPeople(t *testing.T) {
	s := study(t, 0)
	live := NewMonitor(s.arms, s.arms, s.tally)
	p := Pick{Arms: []int{4, 1, 3}, Shown: []int{4, 1, 3}, Slots: []int{2, 0, 1}, Belief: &s.belief, Picked: 1}
	p.Shares = s.belief.Predict(s.arms, p.Arms)
	for i := range maxRespondents + 2 {
		p.Respondent = strconv.Itoa(i)
		live.Observe(p)
		s.monitor.Observe(p)
	}
	if n := len(live.State().Respondents); n != maxRespondents || live.clicking("1") != 0 || live.clicking("2") == 0 ||
		s.monitor.clicking("0") == 0 {
		t.Errorf("a live study remembers %d", n)
	}
	copyOf(t, live)
}

package checks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/choice"
)

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

package replay_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"bestpick/checks"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
)

// A fake is how robots answer. All of them choose the arm with the largest number.
type fake struct {
	rules    checks.Rules
	took     time.Duration // for an answer
	networks int           // from which they come, in turn; 0 for unknown ones
	straight bool          // pick the first slot instead
}

// stuffed returns a study of pairs under majority whose people are all robots, until a number of them have answered all of
// their hands or the study is over, and the warnings before its verdict was certified.
func stuffed(t *testing.T, people int, f fake) (s *studytest.Stage, before []string) {
	t.Helper()
	s = studytest.Empty(t)
	settings := studytest.Three()
	settings.Strategy.K, settings.Picks = 3, 2
	settings.Strategy.Assume, settings.Strategy.Epsilon, settings.Strategy.Delta = strategy.Majority, 0.2, 0.001
	settings.PerRespondent, settings.Budget, settings.Rules = 10, 2000, f.rules
	s.Create(id, settings, study.Open)
	service := s.Service("one")
	planner := service.Planner(id)
	for n := range people {
		if !s.Step(planner) {
			return s, before
		}
		ctx := s.Context()
		if f.networks > 0 {
			ctx = middleware.WithAddress(ctx, netip.AddrFrom4([4]byte{192, 0, byte(n % f.networks), 7}))
		}
		robot(ctx, s, service, fmt.Sprint("x", n), f)
		s.Pass(11 * time.Second)
		progress, err := service.Progress(t.Context(), id)
		s.Must(err)
		if progress.Study.State == study.Open && before == nil {
			for _, w := range progress.Verdict.Signs.Warnings(settings.Rules) {
				before = append(before, w.Kind)
			}
		}
	}
	s.Step(planner)
	return s, before
}

// robot answers all questions of a hand, and returns their number.
func robot(ctx context.Context, s *studytest.Stage, service *studytest.Service, name string, f fake) (answers int) {
	s.Helper()
	for ; ; answers++ {
		lease, err := service.Ask(ctx, id, name, "")
		if errors.Is(err, study.ErrEnough) || errors.Is(err, study.ErrNoQuestion) ||
			errors.Is(err, study.ErrFull) || errors.Is(err, study.ErrNotOpen) {
			return answers
		}
		s.Must(err)
		s.Pass(f.took)
		picks := []int{0, 1, 2}[:len(lease.Shown)]
		if !f.straight {
			slices.SortFunc(picks, func(a, b int) int { return lease.Shown[b] - lease.Shown[a] })
		}
		s.Must(service.Answer(ctx, id, lease.Token, picks[:lease.Picks()]))
	}
}

// TestRules: what the rules exclude certifies nothing, uses up no budget, and is counted and logged. Without them the owner
// is warned before the certificate. Verification repeats both.
func TestRules(t *testing.T) {
	t.Parallel()
	usual := checks.UsualRules()
	for name, c := range map[string]struct {
		fake

		certified bool
		warned    []string
	}{
		"networks":             {fake: fake{rules: usual, took: 2 * time.Second, networks: 1}, warned: []string{"network"}},
		"networks, off":        {fake: fake{took: 2 * time.Second, networks: 1}, certified: true, warned: []string{"network"}},
		"many networks":        {fake: fake{rules: usual, took: 2 * time.Second, networks: 40}, certified: true},
		"known people":         {fake: fake{rules: usual, took: 2 * time.Second}, certified: true},
		"reading":              {fake: fake{rules: usual, took: time.Second / 200}, warned: []string{"fast"}},
		"reading, off":         {fake: fake{took: time.Second / 200}, certified: true, warned: []string{"fast"}},
		"straight-lining":      {fake: fake{rules: usual, took: 2 * time.Second, straight: true}, warned: []string{"straight"}},
		"straight-lining, off": {fake: fake{took: 2 * time.Second, straight: true}, warned: []string{"straight"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const people = 40
			s, before := stuffed(t, people, c.fake)
			v := s.Agreed()
			if got := v.Status == "certified"; got != c.certified {
				t.Errorf("certified is %v, want %v: %+v", got, c.certified, v.Signs)
			}
			if len(before) > 0 != (len(c.warned) > 0) || len(c.warned) > 0 && before[0] != c.warned[0] {
				t.Errorf("warned of %q before a certificate, want %q", before, c.warned)
			}
			counted := v.Answered - v.Guiding
			switch name {
			case "networks":
				if v.Signs.Crowded != people-usual.Network || v.Signs.Largest != people || counted != 10*usual.Network {
					t.Errorf("%+v; %d answers are evidence", v.Signs, counted)
				}
			case "reading":
				if v.Signs.Fast != 10*people || counted != 0 || v.Respondents != 0 {
					t.Errorf("%+v; %d answers are evidence, of %d people", v.Signs, counted, v.Respondents)
				}
			case "straight-lining":
				if v.Signs.Straight != people {
					t.Errorf("%+v", v.Signs)
				}
			}
		})
	}
}

// TestBudgetIgnoresExcluded: answers that the rules leave out do not use up the budget.
func TestBudgetIgnoresExcluded(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fake{
		"networks": {rules: checks.Rules{Network: 1}, networks: 1}, "reading": {rules: checks.Rules{Reading: 1}, took: time.Second / 2},
		"straight-lining": {rules: checks.Rules{Straight: true}, straight: true},
	} {
		s := studytest.Empty(t)
		settings := studytest.Three()
		settings.Strategy.Assume, settings.PerRespondent, settings.Budget, settings.Rules = strategy.Majority, 10, 12, f.rules
		s.Create(id, settings, study.Open)
		service := s.Service("one")
		planner := service.Planner(id)
		answers := 0
		for n := range 4 {
			s.Step(planner)
			ctx := middleware.WithAddress(s.Context(), netip.AddrFrom4([4]byte{192, 0, 2, 7}))
			answers += robot(ctx, s, service, fmt.Sprint("x", n), f)
			s.Pass(11 * time.Second)
		}
		s.Step(planner)
		if st := s.Study(); st.State != study.Open || answers <= settings.Budget {
			t.Errorf("%s: the study is %s, %s, after %d answers", name, st.State, st.Reason, answers)
		}
		s.Agreed()
	}
}

// TestBudgetIgnoresByHand: answers of a person whom the owner excludes, before and after that and beyond a hand, do not use
// up the budget. After an erasure it is the same: others give exactly as many answers as the budget.
func TestBudgetIgnoresByHand(t *testing.T) {
	t.Parallel()
	for each, theirs := range map[int]int{6: 6, study.NoLimit: 12} {
		s := studytest.Empty(t)
		settings := studytest.Limited(each)
		settings.Strategy.Assume, settings.Budget = strategy.Majority, 15
		s.Create(id, settings, study.Open)
		service := s.Service("one")
		planner := service.Planner(id)
		answer := func(who string) {
			s.Step(planner)
			s.Answer(service, who)
			s.Pass(2 * time.Second)
		}
		for n := range theirs {
			if n == 3 {
				answer("gone")
				s.Erase(service, "gone")
				s.Pass(11 * time.Second)
				s.Step(planner)
				_, err := service.Exclude(t.Context(), id, owner.Any, "x0")
				s.Must(err)
			}
			answer("x0")
		}
		s.Pass(11 * time.Second)
		s.Step(planner)
		if v := s.Agreed(); v.Excluded != theirs || v.ByHand != 1 {
			t.Errorf("%d per person: %d answers are no part of the budget, want %d", each, v.Excluded, theirs)
		}
		s.Erase(service, "unknown")
		answer("gone, too")
		s.Erase(service, "gone, too")
		others := 0
		for n := 1; n < 9 && s.Study().State == study.Open; n++ {
			s.Step(planner)
			for range 5 {
				if lease, err := service.Ask(t.Context(), id, fmt.Sprint("x", n), ""); err == nil {
					s.Must(service.Answer(t.Context(), id, lease.Token, s.Crowd.Pick(lease.Shown, lease.Picks())))
					others++
				}
			}
			s.Pass(study.HandIdle + time.Minute) // frees what is left of the hand
			s.Step(planner)
		}
		if st := s.Study(); others != settings.Budget || st.Reason != study.Spent {
			t.Errorf("%d per person: the study is %s, %s, after %d answers of others", each, st.State, st.Reason, others)
		}
		if v := s.Agreed(); v.Excluded != theirs {
			t.Errorf("%d per person: after an erasure %d answers are no part of the budget, want %d", each, v.Excluded, theirs)
		}
	}
}

// TestExclusionAfterDecision: a person who is excluded while a decided study waits for more people reopens the decision,
// and the log repeats it.
func TestExclusionAfterDecision(t *testing.T) {
	t.Parallel()
	s := studytest.Empty(t)
	settings := studytest.Three()
	settings.Strategy.K, settings.Picks, settings.PerRespondent, settings.LeastPeople = 3, 2, 10, 60
	settings.Strategy.Assume, settings.Strategy.Epsilon = strategy.Majority, 0.2
	s.Create(id, settings, study.Open)
	service := s.Service("one")
	planner := service.Planner(id)
	reopened := false
	for n := 0; n < 100 && s.Step(planner); n++ {
		robot(s.Context(), s, service, fmt.Sprint("x", n), fake{took: 2 * time.Second})
		s.Pass(11 * time.Second)
		if s.Step(planner); reopened || s.Agreed().Progress < 1 {
			continue
		}
		_, err := service.Exclude(t.Context(), id, owner.Any, "x0")
		s.Must(err)
		s.Step(planner)
		if v := s.Agreed(); v.ByHand != 1 || v.Progress == 1 {
			t.Errorf("%d people excluded, progress %v", v.ByHand, v.Progress)
		}
		reopened = true
	}
	if v := s.Agreed(); !reopened || v.Status != "certified" || v.Withstands < settings.Strategy.Fakes {
		t.Errorf("reopened %v; %s, withstands %d", reopened, v.Status, v.Withstands)
	}
}

// TestExclusion: with people excluded by hand a study needs more people for the certificate, which withstands them; the log
// repeats it, also after an erasure. Others cannot be excluded.
func TestExclusion(t *testing.T) {
	t.Parallel()
	people := map[int]int{}
	for _, excluded := range []int{0, 2} {
		s := studytest.Empty(t)
		settings := studytest.Three()
		settings.Strategy.K, settings.Picks, settings.PerRespondent = 3, 2, 10
		settings.Strategy.Assume, settings.Strategy.Epsilon, settings.Strategy.Delta = strategy.Majority, 0.2, 0.001
		s.Create(id, settings, study.Open)
		service := s.Service("one")
		planner := service.Planner(id)
		for n := 0; n < 100 && s.Step(planner); n++ {
			robot(s.Context(), s, service, fmt.Sprint("x", n), fake{took: 2 * time.Second})
			if n < excluded {
				for range 2 { // it is idempotent
					_, err := service.Exclude(t.Context(), id, owner.Any, fmt.Sprint("x", n))
					s.Must(err)
				}
			}
			if n == 3 && excluded > 0 {
				s.Erase(service, "x3")
			}
			s.Pass(11 * time.Second)
		}
		for _, name := range []string{"unknown", "", "\xff", "x1"} {
			if _, err := service.Exclude(t.Context(), id, owner.Any, name); err == nil {
				t.Errorf("%q can be excluded from a done study", name)
			}
		}
		v := s.Agreed()
		if v.Status != "certified" || v.ByHand != excluded || v.Withstands != settings.Strategy.Fakes {
			t.Errorf("%d excluded: %s, %d by hand, withstands %d", excluded, v.Status, v.ByHand, v.Withstands)
		}
		people[excluded] = v.Respondents + v.Answering
	}
	if people[2] <= people[0] {
		t.Errorf("%d people with two excluded, %d without", people[2], people[0])
	}
}

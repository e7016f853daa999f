package study_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"bestpick/choice"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/wiring"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// shuffled is the name of a strategy with versions of its rules.
const shuffled = "shuffled"

// release returns the strategies of a release: racing under another name, whose questions depend on
// the version of the rules.
func release(rules int) replay.Strategies {
	return replay.Strategies{shuffled: {
		Rules: rules,
		New: func(arms *choice.Catalogue, s strategy.Settings) (strategy.Strategy, error) {
			return racing.New(arms, racing.Settings{K: s.K, Delta: s.Delta, Seed: s.Seed + 100*uint64(s.Rules)})
		},
		Restore: func(arms *choice.Catalogue, snapshot []byte) (strategy.Strategy, error) {
			return racing.Restore(arms, snapshot)
		},
	}}
}

// A witness counts the studies that a process cannot plan, and keeps its reports.
type witness struct {
	study.Unobserved

	unsupported int
	reports     []error
}

func (w *witness) Unsupported(string) { w.unsupported++ }

// release returns a process of a release.
func (s *stage) release(store study.Store, name string, rules int, w *witness) *instance {
	s.Helper()
	return s.serviceOn(store, wiring.Options{
		Name: name, Clock: s.clock, Strategies: release(rules), Observer: w, Report: func(_ string, err error) { w.reports = append(w.reports, err) },
	})
}

// verifiedBy returns the verdict of an exported log as a release recomputes it.
func (s *stage) verifiedBy(rules int) (study.Verdict, error) {
	s.Helper()
	var export bytes.Buffer
	s.must(replay.Export(s.Context(), s.store, id, &export))
	report, err := release(rules).Verify(&export, nil)
	return report.Verdict, err
}

// named returns the settings of a study with versioned rules.
func named(rules racing.Rules) study.Settings {
	settings := three()
	settings.Kind, settings.Strategy.Rules = shuffled, rules
	return settings
}

// TestTwoReleasesShareAStudy: processes of two releases plan a study in turn. The later one keeps the
// rules with which the study began, and both verify the log.
func TestTwoReleasesShareAStudy(t *testing.T) {
	s := begin(t, named(0))
	var w witness
	services := []*instance{s.release(s.store, "earlier", 0, &w), s.release(s.store, "later", 1, &w)}
	planners := []*planning.Planner{services[0].Planner(id), services[1].Planner(id)}
	for i := range 6 {
		s.run(services[(i+1)%2], planners[i%2], 1, 4)
		s.must(planners[i%2].Resign(t.Context()))
	}
	last := s.plans()
	for rules := range 2 {
		verdict, err := s.verifiedBy(rules)
		s.must(err)
		if got := verdict.Text(); got != string(last[len(last)-1].Verdict) || verdict.Answered != 24 || verdict.Rules != 0 {
			t.Errorf("the release with rules %d recomputes %s, the last plan has %s", rules, got, last[len(last)-1].Verdict)
		}
	}
	other := begin(t, named(1))
	other.step(other.release(other.store, "later", 1, &w).Planner(id))
	if reflect.DeepEqual(other.plans()[0].Questions, last[0].Questions) {
		t.Error("both versions of the rules ask the same questions")
	}
	if w.unsupported > 0 || len(w.reports) > 0 {
		t.Errorf("%d unsupported studies, reports %v", w.unsupported, w.reports)
	}
}

// TestEarlierReleaseAbstains: a process that does not have the rules of a study serves its
// respondents, but neither takes its lease nor writes plans. It says so once.
func TestEarlierReleaseAbstains(t *testing.T) {
	s := begin(t, named(1))
	var w, other witness
	store := &faulty{Store: s.store, before: func(call string) error {
		if call == "Lead" || call == "Append" {
			t.Errorf("the earlier release calls %s", call)
		}
		return nil
	}}
	earlier, later := s.release(store, "earlier", 0, &w), s.release(s.store, "later", 1, &other)
	abstaining, planner := earlier.Planner(id), later.Planner(id)
	const turns = 4
	for i := range turns {
		s.run(earlier, planner, 1, 4)
		s.must(planner.Resign(t.Context()))
		s.pass(3 * time.Second)
		s.answer(earlier, fmt.Sprint("late", i))
		if activity, err := abstaining.Step(t.Context()); activity != planning.Idle || err != nil {
			t.Errorf("%v, %v", activity, err)
		}
	}
	if w.unsupported != turns || len(w.reports) != 1 || !strings.Contains(w.reports[0].Error(), "version 1 of the rules of shuffled") {
		t.Errorf("%d unsupported studies, reports %v", w.unsupported, w.reports)
	}
	s.pass(11 * time.Second)
	s.step(planner)
	verdict, err := s.verifiedBy(1)
	s.must(err)
	if verdict.Rules != 1 || verdict.Answered != 5*turns {
		t.Errorf("%+v", verdict)
	}
	for _, p := range s.plans() {
		if !bytes.Contains(p.Verdict, []byte(`"rules":1`)) {
			t.Errorf("plan %d has no version: %s", p.Number, p.Verdict)
		}
	}
	_, err = s.verifiedBy(0)
	var wrong *replay.ExportError
	if !errors.As(err, &wrong) || wrong.Line != 1 || wrong.Field != "study.settings.strategy.rules" || wrong.Found != "1" || wrong.Expected != "0 to 0" {
		t.Errorf("the earlier release verifies: %v", err)
	}
	if _, err := earlier.Erase(t.Context(), id, "r1"); !errors.Is(err, study.ErrBusy) {
		t.Errorf("the earlier release erases: %v", err)
	}
	if _, err := later.Erase(t.Context(), id, "r1"); err != nil {
		t.Error(err)
	}
	if verdict, err = s.verifiedBy(1); err != nil || verdict.Rules != 1 {
		t.Errorf("after an erasure: %+v, %v", verdict, err)
	}
}

// TestRulesOfPlans: a plan with the tag of other rules than its study's does not verify.
func TestRulesOfPlans(t *testing.T) {
	s := begin(t, named(1))
	s.run(s.release(s.store, "one", 1, &witness{}), s.release(s.store, "one", 1, &witness{}).Planner(id), 2, 3)
	var export bytes.Buffer
	s.must(replay.Export(t.Context(), s.store, id, &export))
	all := lines(export.String())
	body := strings.Join(all[:len(all)-1], "\n")
	for _, altered := range []string{strings.Replace(body, `"rules":1,"settings"`, `"settings"`, 1), strings.Replace(body, `"rules":1,"settings"`, `"rules":2,"settings"`, 1)} {
		_, err := release(2).Verify(strings.NewReader(signed(lines(altered), attacker())), nil)
		var wrong *replay.DivergedError
		if !errors.As(err, &wrong) || wrong.Plan != 1 || wrong.Field != "verdict.rules" || altered == body {
			t.Errorf("got %v", err)
		}
	}
}

// TestUnknownRulesAreLeftToOthers: studies that are assigned to a process without their rules are planned by
// another one.
func TestUnknownRulesAreLeftToOthers(t *testing.T) {
	inABubble(t, named(1), func(s *stage) {
		s.startWith(s.store, wiring.Options{Name: "earlier", Strategies: release(0)})
		s.startWith(s.store, wiring.Options{Name: "later", Strategies: release(1)})
		s.allPlanned(named(1))
	})
}

// TestRulesOfTheFuture: racing with unknown rules is neither planned nor verified, and the errors name
// the versions.
func TestRulesOfTheFuture(t *testing.T) {
	settings := three()
	settings.Strategy.Rules = racing.LatestRules + 1
	s := begin(t, settings)
	var w witness
	planner := s.release(s.store, "one", 0, &w).Planner(id)
	s.step(planner)
	s.step(planner)
	if len(s.plans()) > 0 || w.unsupported != 2 || len(w.reports) != 1 || !strings.Contains(w.reports[0].Error(), fmt.Sprintf("version %d of the rules of racing, but this program supports only up to %d", racing.LatestRules+1, racing.LatestRules)) {
		t.Errorf("%d plans, %d unsupported studies, reports %v", len(s.plans()), w.unsupported, w.reports)
	}
	if _, err := s.verifiedBy(0); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("field study.settings.strategy.rules: found %d, expected 0 to %d", racing.LatestRules+1, racing.LatestRules)) {
		t.Errorf("got %v", err)
	}
}

// TestRulesOfNewStudies: a new study has the latest rules of its strategy. Drafts get them with an
// edit, and studies that were opened keep theirs.
func TestRulesOfNewStudies(t *testing.T) {
	s := empty(t)
	earlier, later := s.release(s.store, "earlier", 0, &witness{}), s.release(s.store, "later", 2, &witness{})
	edit := func(st *study.Study) error {
		st.Settings.Budget++
		st.Settings.Strategy.Rules = racing.LatestRules // as [owner.Guarantee] has it
		return nil
	}
	for _, c := range []struct {
		open bool
		want racing.Rules
	}{{false, 2}, {true, 0}} {
		st, err := earlier.Create(t.Context(), "Lamps", "", named(0), s.saved)
		s.must(err)
		if st.Settings.Strategy.Rules != 0 {
			t.Errorf("a new study of the earlier release has rules %d", st.Settings.Strategy.Rules)
		}
		if c.open {
			_, err = earlier.SetState(t.Context(), st.ID, owner.Any, study.Open)
			s.must(err)
		}
		st, err = later.Change(t.Context(), st.ID, owner.Any, edit)
		s.must(err)
		if st.Settings.Strategy.Rules != c.want {
			t.Errorf("after an edit, open is %v and the rules are %d, want %d", c.open, st.Settings.Strategy.Rules, c.want)
		}
	}
}

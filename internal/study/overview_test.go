package study_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"bestpick/internal/approx"
	"bestpick/internal/exports"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/wiring"
	"bestpick/strategy"
)

// TestOverview: the overview matches the log, whether it is read repeatedly or only at the end.
func TestOverview(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	planner := service.Planner(id)
	if o, err := service.Overview(t.Context(), id); err != nil || o.Plan != 0 || o.Course != nil {
		t.Errorf("before the first plan: %+v, %v", o, err)
	}
	s.must(service.Import(t.Context(), id, "survey", s.foreign(7)))
	for round := range 12 {
		s.step(planner)
		for i := range 4 {
			s.answer(service, fmt.Sprint("r", i))
		}
		lease := s.ask(service, "fickle")
		s.must(service.Answer(t.Context(), id, lease.Token, []int{0}))
		s.must(service.Undo(t.Context(), id, lease.Token))
		if round%2 == 0 { // and answers after all
			s.must(service.Answer(t.Context(), id, lease.Token, []int{1}))
		}
		s.pass(11 * time.Second)
		if round%3 == 0 {
			_, err := service.Overview(t.Context(), id)
			s.must(err)
		}
	}
	s.step(planner)
	looked, err := service.Overview(t.Context(), id)
	s.must(err)
	s.sameOverview(looked, s.fromLog())
	late, err := s.service("two").Overview(t.Context(), id)
	s.must(err)
	s.sameOverview(late, s.fromLog())
	progress, err := service.Progress(t.Context(), id)
	s.must(err)
	last := looked.Course[len(looked.Course)-1]
	if last.Plan != progress.Plan || last.Answers != progress.Verdict.Answered || last.Rivals != progress.Verdict.Possible() {
		t.Errorf("the last point is %+v, the verdict %+v", last, progress.Verdict)
	}
	if got := looked.Imported + total(looked.Pace.Answers); got != progress.Verdict.Answered || looked.Imported != 7 {
		t.Errorf("%d answers are counted, %d imported, of %d", got, looked.Imported, progress.Verdict.Answered)
	}
	if got := looked.Estimates(s.arms); len(looked.Utilities) != 4 || len(got) != s.arms.Len() {
		t.Errorf("the utilities are %+v of the levels and %v of the arms", looked.Utilities, got)
	}
	erased := s.erase(service, "r1")
	without, err := service.Overview(t.Context(), id)
	s.must(err)
	s.sameOverview(without, s.fromLog())
	if got := total(without.Pace.Answers); got != total(looked.Pace.Answers)-erased.Answers || len(without.Course) != 1 {
		t.Errorf("%d answers are counted without %d of %d, in %d plans", got, erased.Answers, total(looked.Pace.Answers), len(without.Course))
	}
	s.must(service.Delete(t.Context(), id, owner.Any))
	if _, err := service.Overview(t.Context(), id); err == nil {
		t.Error("a deleted study has an overview")
	}
}

func total(numbers []int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// TestDuels: an overview has the answers that chose between the leader and each other arm.
func TestDuels(t *testing.T) {
	s := begin(t, three())
	service := s.service("one")
	s.run(service, service.Planner(id), 8, 8)
	o, err := service.Overview(t.Context(), id)
	s.must(err)
	progress, err := service.Progress(t.Context(), id)
	s.must(err)
	extent, err := exports.ReadExtent(t.Context(), s.store, id)
	s.must(err)
	leader, want := progress.Verdict.Leader, map[int]overview.Duel{}
	for out, err := range exports.Standing(t.Context(), s.store, id, extent) {
		s.must(err)
		if out.Number > progress.Upto || out.Kind != study.Answered || !slices.Contains(out.Shown, leader) {
			continue
		}
		picked := out.Shown[out.Picks[0]]
		for _, arm := range out.Shown {
			if d := want[arm]; arm != leader && (picked == leader || picked == arm) {
				if picked == arm {
					d.Chosen++
				}
				want[arm] = overview.Duel{Arm: arm, Chosen: d.Chosen, Compared: d.Compared + 1}
			}
		}
	}
	if len(o.Duels) != len(want) || len(want) < 2 {
		t.Errorf("%d duels, want %d", len(o.Duels), len(want))
	}
	for _, d := range o.Duels {
		if d != want[d.Arm] {
			t.Errorf("%+v, want %+v", d, want[d.Arm])
		}
	}
}

// fromLog counts how often arms were shown and picked, directly from the log.
func (s *stage) fromLog() map[int][2]int {
	s.Helper()
	extent, err := exports.ReadExtent(s.Context(), s.store, id)
	s.must(err)
	counts := map[int][2]int{}
	for o, err := range exports.Standing(s.Context(), s.store, id, extent) {
		s.must(err)
		if o.Kind == study.Skipped {
			continue
		}
		for slot, arm := range o.Shown {
			count := counts[arm]
			count[0]++
			if slot == o.Picks[0] {
				count[1]++
			}
			counts[arm] = count
		}
	}
	return counts
}

func (s *stage) sameOverview(o *overview.Overview, want map[int][2]int) {
	s.Helper()
	if len(o.Arms) != len(want) {
		s.Errorf("%d arms were shown, want %d", len(o.Arms), len(want))
	}
	for _, count := range o.Arms {
		if got := [2]int{count.Shown, count.Picked}; got != want[count.Arm] {
			s.Errorf("arm %d: shown and picked %v, want %v", count.Arm, got, want[count.Arm])
		}
	}
}

// TestOverviewOfManyPlans: for any number of plans, the course has a few hundred points including
// the last, and reads no more plans than that.
func TestOverviewOfManyPlans(t *testing.T) {
	s := begin(t, three())
	const plans = 5000
	store := &longStore{Store: s.store, plans: plans}
	service := s.serviceOn(store, wiring.Options{Clock: s.clock})
	for _, more := range []int{0, 1, 3000} {
		store.plans, store.read = plans+more, 0
		o, err := service.Overview(t.Context(), id)
		s.must(err)
		if n := len(o.Course); n < 200 || n > 802 || o.Course[n-1].Plan != plans+more || store.read > 802 {
			t.Errorf("%d points up to plan %d, from %d plans", n, o.Course[n-1].Plan, store.read)
		}
		for i, p := range o.Course[1:] {
			if p.Plan <= o.Course[i].Plan {
				t.Errorf("plan %d comes after plan %d", p.Plan, o.Course[i].Plan)
			}
		}
	}
}

// A longStore reports many plans.
type longStore struct {
	study.Store

	plans, read int
}

func (s *longStore) plan(number int) study.Plan {
	v := study.Verdict{Answered: number, Contenders: []strategy.Standing{{Evidence: float64(number)}}}
	return study.Plan{Number: number, Verdict: []byte(v.Text())}
}

func (s *longStore) Last(context.Context, string) (study.Plan, error) { return s.plan(s.plans), nil }

func (s *longStore) Plans(_ context.Context, _ string, after, _ int) ([]study.Plan, error) {
	s.read++
	return []study.Plan{s.plan(after + 1)}, nil
}

// TestEvidence: the evidence is that against the most doubtful contender, and at most what refutes
// one.
func TestEvidence(t *testing.T) {
	v := study.Verdict{Contenders: []strategy.Standing{{Evidence: 2}, {Evidence: -1}, {Evidence: 9}}}
	approx.Equal(t, "of three", v.Evidence(0.05), -1, 1e-12)
	approx.Equal(t, "of none", study.Verdict{}.Evidence(0.05), math.Log(20), 1e-12)
}

package overview_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bestpick/internal/approx"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/strategy"
)

// TestOverview: the overview matches the log, whether it is read repeatedly or only at the end.
func TestOverview(t *testing.T) {
	settings := studytest.Three()
	settings.Strategy.Delta = 1e-6 // so that the study does not end
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	planner := service.Planner(id)
	if o, err := service.Overview(t.Context(), id); err != nil || o.Plan != 0 || o.Arms != nil {
		t.Errorf("before the first plan: %+v, %v", o, err)
	}
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(7)))
	for round := range 12 {
		s.Step(planner)
		for i := range 4 {
			s.Answer(service, fmt.Sprint("r", i))
		}
		lease := s.Ask(service, "fickle")
		s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
		s.Must(service.Undo(t.Context(), id, lease.Token))
		if round%2 == 0 { // and answers after all
			s.Must(service.Answer(t.Context(), id, lease.Token, []int{1}))
		}
		s.Pass(11 * time.Second)
		if round%3 == 0 {
			_, err := service.Overview(t.Context(), id)
			s.Must(err)
		}
	}
	s.Step(planner)
	looked, err := service.Overview(t.Context(), id)
	s.Must(err)
	sameOverview(s, looked, fromLog(s))
	late, err := s.Service("two").Overview(t.Context(), id)
	s.Must(err)
	sameOverview(s, late, fromLog(s))
	progress, err := service.Progress(t.Context(), id)
	s.Must(err)
	if looked.Plan != progress.Plan {
		t.Errorf("the overview is of plan %d, the verdict of %d", looked.Plan, progress.Plan)
	}
	if got := looked.Imported + total(looked.Pace.Answers); got != progress.Verdict.Answered || looked.Imported != 7 {
		t.Errorf("%d answers are counted, %d imported, of %d", got, looked.Imported, progress.Verdict.Answered)
	}
	if got := looked.Estimates(s.Arms); len(looked.Utilities) != 4 || len(got) != s.Arms.Len() {
		t.Errorf("the utilities are %+v of the levels and %v of the arms", looked.Utilities, got)
	}
	erased := s.Erase(service, "r1")
	without, err := service.Overview(t.Context(), id)
	s.Must(err)
	sameOverview(s, without, fromLog(s))
	if got := total(without.Pace.Answers); got != total(looked.Pace.Answers)-erased.Answers {
		t.Errorf("%d answers are counted without %d of %d", got, erased.Answers, total(looked.Pace.Answers))
	}
	s.Must(service.Delete(t.Context(), id, owner.Any))
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
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	s.Work(service, service.Planner(id), 8, 8)
	o, err := service.Overview(t.Context(), id)
	s.Must(err)
	progress, err := service.Progress(t.Context(), id)
	s.Must(err)
	extent, err := overview.ReadExtent(t.Context(), s.Store, id)
	s.Must(err)
	leader, want := progress.Verdict.Leader, map[int]overview.Duel{}
	for out, err := range overview.Standing(t.Context(), s.Store, id, extent) {
		s.Must(err)
		if out.Number > progress.LastCounted || out.Kind != study.Answered || !slices.Contains(out.Shown, leader) {
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
func fromLog(s *studytest.Stage) map[int][2]int {
	s.Helper()
	extent, err := overview.ReadExtent(s.Context(), s.Store, id)
	s.Must(err)
	counts := map[int][2]int{}
	for o, err := range overview.Standing(s.Context(), s.Store, id, extent) {
		s.Must(err)
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

func sameOverview(s *studytest.Stage, o *overview.Overview, want map[int][2]int) {
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

// TestEvidence: the evidence is that against the most doubtful contender, and at most what refutes
// one.
func TestEvidence(t *testing.T) {
	v := study.Verdict{Contenders: []strategy.Standing{{Evidence: 2}, {Evidence: -1}, {Evidence: 9}}}
	approx.Equal(t, "of three", v.Evidence(0.05), -1, 1e-12)
	approx.Equal(t, "of none", study.Verdict{}.Evidence(0.05), math.Log(20), 1e-12)
}

// A logReads store records the positions from which the log is read.
type logReads struct {
	study.Store

	from []int64
}

func (r *logReads) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	r.from = append(r.from, after)
	return r.Store.Log(ctx, id, after, limit)
}

// TestOverviewGoesOn: a later overview only reads the new part of the log, also after an erasure.
func TestOverviewGoesOn(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	store := &logReads{Store: s.Store}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
	planner := service.Planner(id)
	s.Work(service, planner, 2, 4)
	s.Erase(service, "r1")
	for look, again := range []bool{false, true} {
		store.from = nil
		_, err := service.Overview(t.Context(), id)
		s.Must(err)
		if begun := len(store.from) > 0 && store.from[0] == 0; begun == again {
			t.Errorf("overview %d reads the log from %v", look, store.from)
		}
	}
	s.Work(service, planner, 1, 4)
	store.from = nil
	_, err := service.Overview(t.Context(), id)
	s.Must(err)
	if len(store.from) == 0 || store.from[0] == 0 {
		t.Errorf("the log is read from %v", store.from)
	}
}

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil { // unless the command line asks for more
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// TestProgress: there is no verdict before the first plan; then it is that of the last plan.
func TestProgress(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	if _, err := service.Progress(t.Context(), "nothing"); !errors.Is(err, study.ErrNotFound) {
		t.Errorf("an unknown study: %v", err)
	}
	p, err := service.Progress(t.Context(), id)
	if err != nil || p.Plan != 0 || !p.At.IsZero() || p.Verdict.Leader != -1 || p.Verdict.Status != "asking" || p.Study.ID != id {
		t.Errorf("%+v, %v", p, err)
	}
	planner := service.Planner(id)
	s.Work(service, planner, 2, 3)
	p, err = service.Progress(t.Context(), id)
	if err != nil || p.Plan != 3 || !p.At.Equal(study.Micro(s.Clock())) || p.Verdict.Answered != 6 || p.Verdict.Leader < 0 ||
		len(p.Verdict.Contenders) == 0 || p.Verdict.Digest == "" {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestWatch: Watch reports the progress at once, then every plan and change, immediately from this
// process and within a second from others, and the end.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settings := studytest.Three()
		settings.Grace = -1
		s := studytest.Begin(t, settings)
		service, elsewhere := s.ServiceOn(s.Store, wiring.Options{Name: "one"}), s.ServiceOn(s.Store, wiring.Options{Name: "two"})
		began := time.Now()
		type message struct {
			plan, version int
			at            time.Duration
		}
		var heard []message
		ended := make(chan error)
		go func() {
			ended <- service.Watch(t.Context(), id, func(p overview.Progress) error {
				heard = append(heard, message{p.Plan, p.Study.Version, time.Since(began)})
				return nil
			})
		}()
		planner := service.Planner(id)
		for i, do := range []func() error{
			func() error { return nil },
			func() error { _, err := planner.Step(t.Context()); return err },
			func() error {
				_, err := elsewhere.Change(t.Context(), id, owner.Any, func(st *study.Study) error { st.Name = "new"; return nil })
				return err
			},
			func() error { _, err := service.SetState(t.Context(), id, owner.Any, study.Paused); return err },
			func() error { s.Must(service.Import(t.Context(), id, "batch", s.Foreign(1))); return nil },
			func() error { _, err := planner.Step(t.Context()); return err },
			func() error { return service.Delete(t.Context(), id, owner.Any) },
		} {
			time.Sleep(time.Duration(i)*3*time.Second - time.Since(began))
			s.Must(do())
		}
		if err := <-ended; !errors.Is(err, study.ErrNotFound) {
			t.Errorf("a deleted study: %v", err)
		}
		want := []message{
			{0, 1, 0},
			{1, 1, 3 * time.Second},
			{1, 2, 6 * time.Second},
			{1, 3, 9 * time.Second},
			{1, 4, 12 * time.Second},
			{2, 4, 15 * time.Second},
		}
		if len(heard) != len(want) {
			t.Fatalf("got messages %v, want %v", heard, want)
		}
		for i, m := range heard {
			soon := 100 * time.Millisecond
			if i == 2 {
				soon = 1100 * time.Millisecond // events do not reach other processes
			}
			if m.plan != want[i].plan || m.version != want[i].version || m.at < want[i].at || m.at > want[i].at+soon {
				t.Errorf("message %d is %v, want %v", i, m, want[i])
			}
		}
	})
}

// TestWatchEnds: Watch ends when its context ends or its callback returns an error.
func TestWatchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := studytest.Begin(t, studytest.Three())
		service := s.ServiceOn(s.Store, wiring.Options{Name: "one"})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		messages := 0
		err := service.Watch(ctx, id, func(overview.Progress) error { messages++; return nil })
		if !errors.Is(err, context.DeadlineExceeded) || messages != 1 {
			t.Errorf("%d messages, %v", messages, err)
		}
		bored := errors.New("bored")
		if err := service.Watch(t.Context(), id, func(overview.Progress) error { return bored }); !errors.Is(err, bored) {
			t.Errorf("%v", err)
		}
		if err := service.Watch(t.Context(), "nothing", nil); !errors.Is(err, study.ErrNotFound) {
			t.Errorf("an unknown study: %v", err)
		}
	})
}

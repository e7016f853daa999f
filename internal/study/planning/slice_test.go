package planning_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
)

// slicing returns a service whose plans count few outcomes.
func slicing(s *studytest.Stage, store study.Store, name string, most int) *studytest.Service {
	s.Helper()
	return s.ServiceOn(store, wiring.Options{Name: name, Clock: s.Clock, Slice: most})
}

// uncounted returns how many outcomes a service reports as uncounted.
func uncounted(s *studytest.Stage, service *studytest.Service) int {
	s.Helper()
	progress, err := service.Progress(s.Context(), id)
	s.Must(err)
	if progress.Uncounted > 0 && progress.Counted()+progress.Uncounted != len(s.Outcomes()) {
		s.Errorf("%d outcomes are counted, %d are not, of %d", progress.Counted(), progress.Uncounted, len(s.Outcomes()))
	}
	return progress.Uncounted
}

// sliced reports plans that count more outcomes than a slice has.
func sliced(s *studytest.Stage, most int64) {
	s.Helper()
	told := int64(0)
	for _, p := range s.Plans() {
		if p.LastCounted-told > most {
			s.Errorf("plan %d counts %d outcomes", p.Number, p.LastCounted-told)
		}
		told = p.LastCounted
	}
}

// states returns the state of a study twice: restored from the snapshot and later plans, and
// replayed from the log.
func states(ctx context.Context, store study.Store, id string) (restored, replayed []byte, err error) {
	st, err := store.Study(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	_, snapshot, err := store.Snapshot(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	saved, err := store.Catalogue(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	state := func(snapshot []byte) ([]byte, error) {
		r, err := replay.New(st, saved)
		if err != nil {
			return nil, err
		}
		if snapshot != nil {
			if err := r.Restore(snapshot); err != nil {
				return nil, err
			}
		}
		if err := r.CatchUp(ctx, store, id, math.MaxInt, replay.NewCores()); err != nil {
			return nil, err
		}
		return r.Snapshot()
	}
	if restored, err = state(snapshot); err != nil {
		return nil, nil, err
	}
	replayed, err = state(nil)
	return restored, replayed, err
}

// restores reports a snapshot whose state differs from that of the log.
func restores(s *studytest.Stage) {
	s.Helper()
	restored, replayed, err := states(s.Context(), s.Store, id)
	s.Must(err)
	if !bytes.Equal(restored, replayed) {
		s.Error("the snapshot leads to another state than the log")
	}
}

// TestSlices: a long import is counted in several plans. A question is available at any time, and
// the progress reports the rest; snapshots and the log lead to the same state.
func TestSlices(t *testing.T) {
	const most = 100
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(0, 0)
	service := slicing(s, s.Store, "one", most)
	planner := service.Planner(id)
	s.Step(planner)
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(1050)))
	left := uncounted(s, service)
	if left != 1050 {
		t.Fatalf("%d outcomes are left", left)
	}
	for i := 0; left > 0; i++ {
		s.Answer(service, fmt.Sprint("r", i)) // fails if there is no question
		s.Pass(11 * time.Second)
		s.Step(planner)
		now := uncounted(s, service)
		if now >= left || now == 0 && left > 2*most+1 {
			t.Fatalf("%d outcomes are left after %d", now, left)
		}
		left = now
		if i == 6 {
			s.Crash() // a snapshot exists by now
			service = slicing(s, s.Store, "two", most)
			planner = service.Planner(id)
		}
	}
	s.Step(planner)
	s.Step(planner)
	if verdict := s.Agreed(); verdict.Answered != 1050+10 {
		t.Errorf("%d answers count", verdict.Answered)
	}
	sliced(s, most)
	restores(s)
}

// TestSlicesOrOnePlan: slices change neither the verdict nor the rest of the state.
func TestSlicesOrOnePlan(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(0.3, 0.1)
	s.Create("other", studytest.Three(), study.Open)
	verdicts, answers := map[string]study.Verdict{}, s.Foreign(400)
	for of, most := range map[string]int{id: 37, "other": 1000} {
		service := slicing(s, s.Store, "planner of "+of, most)
		s.Must(service.Import(t.Context(), of, "survey", answers))
		planner := service.Planner(of)
		for range 15 {
			s.Step(planner)
		}
		progress, err := service.Progress(t.Context(), of)
		s.Must(err)
		verdicts[of] = progress.Verdict
	}
	if diff := cmp.Diff(verdicts["other"], verdicts[id], cmpopts.IgnoreFields(study.Verdict{}, "Digest", "Settings", "Leaderboard"),
		cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if verdicts[id].Answered != 400 {
		t.Errorf("%d answers count", verdicts[id].Answered)
	}
}

// TestCertifiedInASlice: a study that is certified in the middle of an import ends when the whole
// import is counted.
func TestCertifiedInASlice(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := slicing(s, s.Store, "one", 100)
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(1000)))
	planner := service.Planner(id)
	steps := 0
	for s.Step(planner) {
		steps++
		if st := s.Study(); st.State != study.Open {
			t.Fatalf("the study is %s after %d steps", st.State, steps)
		}
	}
	if verdict := s.Agreed(); verdict.Status != "certified" || verdict.Answered != 1000 || s.Study().Reason != study.Certified {
		t.Errorf("%s after %d answers, %s", verdict.Status, verdict.Answered, s.Study().Reason)
	}
	if s.Plans()[4].Done != "" {
		t.Error("the study ended before the import was counted")
	}
}

// TestStoppedWhileCounting: a study that is stopped during an import is final when the whole import
// is counted.
func TestStoppedWhileCounting(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(0, 0)
	service := slicing(s, s.Store, "one", 100)
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(1000)))
	planner := service.Planner(id)
	s.Step(planner)
	_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
	s.Must(err)
	s.Pass(time.Hour)
	if _, final, err := service.Final(t.Context(), id); final || err != nil {
		t.Errorf("the study is final: %v", err)
	}
	for s.Step(planner) {
		s.Pass(time.Second)
	}
	if p, final, err := service.Final(t.Context(), id); !final || err != nil || p.Verdict.Answered != 1000 {
		t.Errorf("final: %v, %d answers count: %v", final, p.Verdict.Answered, err)
	}
	s.Agreed()
}

// TestUndoneBeyondASlice: an answer is not counted if its undo comes after the slice in the log,
// before the plan is made or while it is written.
func TestUndoneBeyondASlice(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(0, 0)
	store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("nothing", nil)}
	service := slicing(s, store, "one", 50)
	planner := service.Planner(id)
	s.Step(planner)
	var leases []dispatch.Lease
	for i := range 6 {
		leases = append(leases, s.Ask(service, fmt.Sprint("r", i)))
		s.Must(service.Answer(t.Context(), id, leases[i].Token, []int{0}))
	}
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(300)))
	s.Must(service.Undo(t.Context(), id, leases[1].Token))
	s.Must(service.Undo(t.Context(), id, leases[4].Token))
	s.Must(service.Answer(t.Context(), id, leases[4].Token, []int{1})) // another answer stands
	s.Pass(11 * time.Second)
	store.Before = studytest.Once("Append", func() error { return service.Undo(t.Context(), id, leases[2].Token) })
	s.Step(planner) // the store refuses the plan
	if n := len(s.Plans()); n != 1 {
		t.Errorf("the log has %d plans", n)
	}
	s.Step(planner)
	if p := s.Plans()[1]; p.LastCounted != 50 || p.LastSeen != int64(len(s.Outcomes())) {
		t.Errorf("up to %d, knowing %d", p.LastCounted, p.LastSeen)
	}
	if verdict := s.Agreed(); verdict.Answered != 44+3 {
		t.Errorf("%d answers count", verdict.Answered)
	}
	for range 8 {
		s.Step(planner)
	}
	if verdict := s.Agreed(); verdict.Answered != 300+4 {
		t.Errorf("%d answers count", verdict.Answered)
	}
	sliced(s, 50)
}

// TestWaitingIsNotCounting: answers that can still be undone are not a backlog, for any number of
// them.
func TestWaitingIsNotCounting(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(0, 0)
	service := slicing(s, s.Store, "one", 5)
	planner := service.Planner(id)
	for i := range 12 {
		s.Step(planner)
		s.Answer(service, fmt.Sprint("r", i))
	}
	if n := uncounted(s, service); n != 0 {
		t.Errorf("%d outcomes are uncounted", n)
	}
	s.Pass(11 * time.Second)
	if n := uncounted(s, service); n != 12 {
		t.Errorf("%d of 12 outcomes are uncounted", n)
	}
	_, err := service.SetState(t.Context(), id, owner.Any, study.Paused)
	s.Must(err)
	for range 4 {
		s.Step(planner)
	}
	if n := uncounted(s, service); n != 0 || s.Agreed().Answered != 12 {
		t.Errorf("%d outcomes are left", n)
	}
	s.Create("draft", studytest.Three(), study.Draft)
	s.Must(service.Import(t.Context(), "draft", "survey", s.Foreign(20)))
	if p, err := service.Progress(t.Context(), "draft"); err != nil || p.Uncounted != 0 {
		t.Errorf("%d outcomes of a draft are uncounted: %v", p.Uncounted, err)
	}
}

// A paging store records the largest number of outcomes that it returns at a time.
type paging struct {
	study.Store

	most *atomic.Int64
}

func (p paging) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	log, err := p.Store.Log(ctx, id, after, limit)
	p.most.Store(max(p.most.Load(), int64(len(log))))
	return log, err
}

func (p paging) Undone(ctx context.Context, id string, after int64) ([]study.Outcome, error) {
	log, err := p.Store.Undone(ctx, id, after)
	p.most.Store(max(p.most.Load(), int64(len(log))))
	return log, err
}

// TestEraseInSlices: after an erasure, an open study is counted again in several plans, with
// questions at any time. The final verdict is that of the remaining answers.
func TestEraseInSlices(t *testing.T) {
	const most = 100
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(0, 0)
	var largest atomic.Int64
	service := slicing(s, paging{s.Store, &largest}, "one", most)
	planner := service.Planner(id)
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(1500)))
	for range 20 {
		s.Step(planner)
	}
	s.Work(service, planner, 10, 5)
	largest.Store(0)
	e := s.Erase(service, "f7")
	if e.Answers != 30 || e.After.Uncounted != 1550+len(s.Outcomes())-1550-most ||
		!strings.Contains(e.Sentence(nil), "being counted again") {
		t.Errorf("%d answers were erased, %d are not counted: %s", e.Answers, e.After.Uncounted, e.Sentence(nil))
	}
	if n := largest.Load(); n > 1000 { // the size of a page
		t.Errorf("%d outcomes were in memory", n)
	}
	s.Agreed()
	largest.Store(0)
	for i := 0; uncounted(s, service) > 0; i++ {
		if s.Ask(service, "r"); i > 20 {
			t.Fatal("the log is never counted")
		}
		s.Step(planner)
	}
	s.Step(planner)
	if n := largest.Load(); n > most {
		t.Errorf("%d outcomes were in memory", n)
	}
	if plans := s.Plans(); plans[0].LastCounted != most || plans[0].Restart == nil || len(plans[0].Questions) == 0 {
		t.Errorf("the first plan counts %d outcomes and asks %d questions", plans[0].LastCounted, len(plans[0].Questions))
	}
	sliced(s, most)
	erased := s.Agreed()

	s.Create("other", studytest.Three(), study.Open)
	extent, err := overview.ReadExtent(t.Context(), s.Store, id)
	s.Must(err)
	var others []owner.ImportedAnswer
	for o, err := range overview.Standing(t.Context(), s.Store, id, extent) {
		s.Must(err)
		others = append(others, s.Told(o))
	}
	other := slicing(s, s.Store, "two", most)
	s.Must(other.Import(t.Context(), "other", "all", studytest.Yielding(others...)))
	for i, scratch := 0, other.Planner("other"); ; i++ {
		if s.Step(scratch); i > 100 {
			t.Fatal("the other study is never counted")
		}
		if p, err := other.Progress(t.Context(), "other"); err != nil || p.Verdict.Answered == len(others) {
			s.Must(err)
			if diff := cmp.Diff(p.Verdict, erased,
				cmpopts.IgnoreFields(study.Verdict{}, "Digest", "Settings", "Leaderboard", "From", "Until", "Erased"),
				cmpopts.EquateEmpty()); diff != "" || len(others) != 1520 {
				t.Errorf("%d answers are left: %s", len(others), diff)
			}
			break
		}
	}
}

// TestEraseWhenDoneInSlices: a done study is counted as a whole before anything is deleted, and
// keeps its reason or lapses.
func TestEraseWhenDoneInSlices(t *testing.T) {
	for theta, reason := range map[float64]study.Reason{4: study.Certified, 0: study.Lapsed} {
		settings := studytest.Three()
		if theta == 0 {
			settings.Budget = 600
		}
		s := studytest.Begin(t, settings)
		s.Prefers(theta, theta/2)
		var largest atomic.Int64
		service := slicing(s, paging{s.Store, &largest}, "one", 100)
		s.Must(service.Import(t.Context(), id, "survey", s.Foreign(600)))
		s.Finish(service.Planner(id))
		largest.Store(0)
		e := s.Erase(service, "f7")
		if p := s.Plans(); len(p) != 1 || p[0].LastCounted != 600 || e.After.Uncounted != 0 {
			t.Errorf("%d plans, of which the first counts %d outcomes; %d are not counted", len(p), p[0].LastCounted, e.After.Uncounted)
		}
		if st := s.Study(); st.State != study.Done || st.Reason != reason || s.Agreed().Answered != 588 {
			t.Errorf("%s, %s, %d answers", st.State, st.Reason, s.Agreed().Answered)
		}
	}
}

// TestStopWhileASnapshotIsSaved: the snapshot and the plan are saved if the process is stopped
// while they are written.
func TestStopWhileASnapshotIsSaved(t *testing.T) {
	for _, call := range []string{"Append", "SaveSnapshot"} {
		t.Run(call, func(t *testing.T) {
			settings := studytest.Three()
			settings.Strategy.LookEvery = 1 // so that one slice suffices, also on a slow machine
			s := studytest.Begin(t, settings)
			s.Prefers(0, 0)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			store := &studytest.Faulty{Store: s.Store, Before: studytest.Once(call, func() error { stop(); return nil })}
			service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock, Report: func(_ string, err error) { t.Error(err) }})
			s.Must(service.Import(t.Context(), id, "survey", s.Foreign(600)))
			if _, err := service.Planner(id).Step(ctx); err != nil {
				t.Error(err)
			}
			if plan, _, err := s.Store.Snapshot(t.Context(), id); err != nil || plan != 1 || s.Agreed().Answered != 600 {
				t.Errorf("the snapshot is of plan %d: %v", plan, err)
			}
		})
	}
}

// TestSnapshotAtStop: a process that stops saves a snapshot if many outcomes were counted since the
// last one, also if it stops while it reads the log.
func TestSnapshotAtStop(t *testing.T) {
	for name, told := range map[string]int{"little": 400, "much": 900} {
		studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
			s.Prefers(0, 0)
			p := start(s, "one", s.Store)
			s.Must(p.Import(s.Context(), id, "first", s.Foreign(4000)))
			studytest.Await(s.T, "it is counted", func() bool { return s.Answered() == 4000 })
			before, _, err := s.Store.Snapshot(s.Context(), id)
			s.Must(err)
			s.Must(p.Import(s.Context(), id, "second", s.Foreign(told)))
			studytest.Await(s.T, "it is counted", func() bool { return s.Answered() == 4000+told })
			if now, _, err := s.Store.Snapshot(s.Context(), id); err != nil || now != before {
				s.Fatalf("%s: there is a snapshot of plan %d: %v", name, now, err)
			}
			p.stop()
			after, _, err := s.Store.Snapshot(s.Context(), id)
			s.Must(err)
			if last := planCount(s); (after == last) != (name == "much") {
				s.Errorf("%s: the log has %d plans, and the snapshot is of plan %d", name, last, after)
			}
			restores(s)
		})
	}
	s := studytest.Begin(t, studytest.Three())
	s.Prefers(0, 0)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("nothing", nil)}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
	planner := service.Planner(id)
	for i, n := range []int{4000, 900, 1} {
		s.Must(service.Import(t.Context(), id, strconv.Itoa(i), s.Foreign(n)))
		if i == 2 {
			store.Before = studytest.Once("Log", func() error { stop(); return nil })
		}
		if _, err := planner.Step(ctx); (err != nil) != (i == 2) {
			t.Errorf("step %d: %v", i, err)
		}
	}
	s.Must(planner.Leave(ctx))
	if plan, _, err := s.Store.Snapshot(t.Context(), id); err != nil || plan != 2 {
		t.Errorf("the snapshot is of plan %d: %v", plan, err)
	}
}

// An accountant counts written and discarded plans.
type accountant struct {
	study.Observer

	planned, discarded atomic.Int64
}

func (*accountant) Recorded(study.Kind)     {}
func (a *accountant) Planned(study.Planned) { a.planned.Add(1) }
func (a *accountant) Discarded(string)      { a.discarded.Add(1) }
func (*accountant) Attended(string)         {}
func (*accountant) Left(string)             {}

// TestLeaseAfterWaiting: a planner whose request for the lease had to wait holds the lease from
// then on, exclusively.
func TestLeaseAfterWaiting(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	store := &studytest.Faulty{
		Store:  s.Store,
		Before: studytest.Once("AcquireLease", func() error { s.Pass(9 * time.Second); return nil }),
	}
	var counts accountant
	planner := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock, Observer: &counts}).Planner(id)
	if activity, err := planner.Step(t.Context()); activity != planning.Busy || err != nil {
		t.Errorf("%v, %v", activity, err)
	}
	almost := s.Clock().Add(2*time.Second - time.Millisecond)
	if _, err := s.Store.AcquireLease(t.Context(), id, "two", almost, almost); !errors.Is(err, study.ErrNotYours) {
		t.Errorf("another planner: %v", err)
	}
	if counts.planned.Load() != 1 || counts.discarded.Load() != 0 {
		t.Errorf("%d plans, %d discarded", counts.planned.Load(), counts.discarded.Load())
	}
}

// TestStalledPlanner: a planner that stalls past its lease, while another one plans, computes
// nothing more when it continues. Every outcome is counted once, by one of them.
func TestStalledPlanner(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		s.Prefers(0, 0)
		var counts [2]accountant
		var appended [2]atomic.Int64
		var stalled atomic.Bool
		planners := make([]*planning.Planner, 2)
		for i := range planners {
			store := &studytest.Faulty{Store: s.Store, Before: func(call string) error {
				switch {
				case call == "Append":
					appended[i].Add(1)
				case i == 0 && call == "AcquireLease" && stalled.Load():
					time.Sleep(5 * time.Second) // a blocked call
				case i == 0 && call == "Log" && !stalled.Swap(true):
					time.Sleep(20 * time.Second)
				}
				return nil
			}}
			service := s.ServiceOn(store, wiring.Options{Name: strconv.Itoa(i), Observer: &counts[i], Slice: 100})
			planners[i] = service.Planner(id)
		}
		s.Must(s.Service("importer").Import(s.Context(), id, "survey", s.Foreign(1000)))
		done := make(chan error)
		go func() {
			activity, err := planners[0].Step(s.Context())
			if err == nil && activity != planning.Idle {
				err = fmt.Errorf("unexpected activity: %v", activity)
			}
			done <- err
		}()
		time.Sleep(4 * time.Second) // the lease has expired
		for range 12 {
			if _, err := planners[1].Step(s.Context()); err != nil {
				s.Error(err)
			}
		}
		s.Must(<-done)
		if n := appended[0].Load(); n != 0 {
			s.Errorf("the stalled planner has computed %d plans", n)
		}
		if counts[0].discarded.Load() != 1 || counts[1].discarded.Load() != 0 || counts[1].planned.Load() != int64(planCount(s)) {
			s.Errorf("discarded: %d and %d", counts[0].discarded.Load(), counts[1].discarded.Load())
		}
		if verdict := s.Agreed(); verdict.Answered != 1000 {
			s.Errorf("%d answers count", verdict.Answered)
		}
		sliced(s, 100)
	})
}

package study_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bestpick/internal/exports"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/wiring"
)

// slicing returns a service whose plans count few outcomes.
func (s *stage) slicing(store study.Store, name string, most int) *instance {
	s.Helper()
	return s.serviceOn(store, wiring.Options{Name: name, Clock: s.clock, Slice: most})
}

// uncounted returns how many outcomes a service reports as uncounted.
func (s *stage) uncounted(service *instance) int {
	s.Helper()
	progress, err := service.Progress(s.Context(), id)
	s.must(err)
	if progress.Uncounted > 0 && progress.Counted()+progress.Uncounted != len(s.log()) {
		s.Errorf("%d outcomes are counted, %d are not, of %d", progress.Counted(), progress.Uncounted, len(s.log()))
	}
	return progress.Uncounted
}

// sliced reports plans that count more outcomes than a slice has.
func (s *stage) sliced(most int64) {
	s.Helper()
	told := int64(0)
	for _, p := range s.plans() {
		if p.Upto-told > most {
			s.Errorf("plan %d counts %d outcomes", p.Number, p.Upto-told)
		}
		told = p.Upto
	}
}

// restores reports a snapshot whose state differs from that of the log.
func (s *stage) restores() {
	s.Helper()
	restored, replayed, err := states(s.Context(), s.store, id)
	s.must(err)
	if !bytes.Equal(restored, replayed) {
		s.Error("the snapshot leads to another state than the log")
	}
}

// TestSlices: a long import is counted in several plans. A question is available at any time, and
// the progress reports the rest; snapshots and the log lead to the same state.
func TestSlices(t *testing.T) {
	const most = 100
	s := begin(t, three())
	s.prefers(0, 0)
	service := s.slicing(s.store, "one", most)
	planner := service.Planner(id)
	s.step(planner)
	s.must(service.Import(t.Context(), id, "survey", s.foreign(1050)))
	left := s.uncounted(service)
	if left != 1050 {
		t.Fatalf("%d outcomes are left", left)
	}
	for i := 0; left > 0; i++ {
		s.answer(service, fmt.Sprint("r", i)) // fails if there is no question
		s.pass(11 * time.Second)
		s.step(planner)
		now := s.uncounted(service)
		if now >= left || now == 0 && left > 2*most+1 {
			t.Fatalf("%d outcomes are left after %d", now, left)
		}
		left = now
		if i == 6 {
			s.crash() // a snapshot exists by now
			service = s.slicing(s.store, "two", most)
			planner = service.Planner(id)
		}
	}
	s.step(planner)
	s.step(planner)
	if verdict := s.agreed(); verdict.Answered != 1050+10 {
		t.Errorf("%d answers count", verdict.Answered)
	}
	s.sliced(most)
	s.restores()
}

// TestSlicesOrOnePlan: slices change neither the verdict nor the rest of the state.
func TestSlicesOrOnePlan(t *testing.T) {
	s := begin(t, three())
	s.prefers(0.3, 0.1)
	s.create("other", three(), study.Open)
	verdicts, answers := map[string]study.Verdict{}, s.foreign(400)
	for of, most := range map[string]int{id: 37, "other": 1000} {
		service := s.slicing(s.store, "planner of "+of, most)
		s.must(service.Import(t.Context(), of, "survey", answers))
		planner := service.Planner(of)
		for range 15 {
			s.step(planner)
		}
		progress, err := service.Progress(t.Context(), of)
		s.must(err)
		verdicts[of] = progress.Verdict
	}
	if diff := cmp.Diff(verdicts["other"], verdicts[id], cmpopts.IgnoreFields(study.Verdict{}, "Digest", "Settings", "Leaderboard"), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if verdicts[id].Answered != 400 {
		t.Errorf("%d answers count", verdicts[id].Answered)
	}
}

// TestCertifiedInASlice: a study that is certified in the middle of an import ends when the whole
// import is counted.
func TestCertifiedInASlice(t *testing.T) {
	s := begin(t, three())
	service := s.slicing(s.store, "one", 100)
	s.must(service.Import(t.Context(), id, "survey", s.foreign(1000)))
	planner := service.Planner(id)
	steps := 0
	for s.step(planner) {
		steps++
		if st := s.study(); st.State != study.Open {
			t.Fatalf("the study is %s after %d steps", st.State, steps)
		}
	}
	if verdict := s.agreed(); verdict.Status != "certified" || verdict.Answered != 1000 || s.study().Reason != study.Certified {
		t.Errorf("%s after %d answers, %s", verdict.Status, verdict.Answered, s.study().Reason)
	}
	if s.plans()[4].Done != "" {
		t.Error("the study ended before the import was counted")
	}
}

// TestStoppedWhileCounting: a study that is stopped during an import is final when the whole import
// is counted.
func TestStoppedWhileCounting(t *testing.T) {
	s := begin(t, three())
	s.prefers(0, 0)
	service := s.slicing(s.store, "one", 100)
	s.must(service.Import(t.Context(), id, "survey", s.foreign(1000)))
	planner := service.Planner(id)
	s.step(planner)
	_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
	s.must(err)
	s.pass(time.Hour)
	if _, final, err := service.Final(t.Context(), id); final || err != nil {
		t.Errorf("the study is final: %v", err)
	}
	for s.step(planner) {
		s.pass(time.Second)
	}
	if p, final, err := service.Final(t.Context(), id); !final || err != nil || p.Verdict.Answered != 1000 {
		t.Errorf("final: %v, %d answers count: %v", final, p.Verdict.Answered, err)
	}
	s.agreed()
}

// TestUndoneBeyondASlice: an answer is not counted if its undo comes after the slice in the log,
// before the plan is made or while it is written.
func TestUndoneBeyondASlice(t *testing.T) {
	s := begin(t, three())
	s.prefers(0, 0)
	store := &faulty{Store: s.store, before: once("nothing", nil)}
	service := s.slicing(store, "one", 50)
	planner := service.Planner(id)
	s.step(planner)
	var leases []dispatch.Lease
	for i := range 6 {
		leases = append(leases, s.ask(service, fmt.Sprint("r", i)))
		s.must(service.Answer(t.Context(), id, leases[i].Token, []int{0}))
	}
	s.must(service.Import(t.Context(), id, "survey", s.foreign(300)))
	s.must(service.Undo(t.Context(), id, leases[1].Token))
	s.must(service.Undo(t.Context(), id, leases[4].Token))
	s.must(service.Answer(t.Context(), id, leases[4].Token, []int{1})) // another answer stands
	s.pass(11 * time.Second)
	store.before = once("Append", func() error { return service.Undo(t.Context(), id, leases[2].Token) })
	s.step(planner) // the store refuses the plan
	if n := len(s.plans()); n != 1 {
		t.Errorf("the log has %d plans", n)
	}
	s.step(planner)
	if p := s.plans()[1]; p.Upto != 50 || p.Known != int64(len(s.log())) {
		t.Errorf("up to %d, knowing %d", p.Upto, p.Known)
	}
	if verdict := s.agreed(); verdict.Answered != 44+3 {
		t.Errorf("%d answers count", verdict.Answered)
	}
	for range 8 {
		s.step(planner)
	}
	if verdict := s.agreed(); verdict.Answered != 300+4 {
		t.Errorf("%d answers count", verdict.Answered)
	}
	s.sliced(50)
}

// TestWaitingIsNotCounting: answers that can still be undone are not a backlog, for any number of
// them.
func TestWaitingIsNotCounting(t *testing.T) {
	s := begin(t, three())
	s.prefers(0, 0)
	service := s.slicing(s.store, "one", 5)
	planner := service.Planner(id)
	for i := range 12 {
		s.step(planner)
		s.answer(service, fmt.Sprint("r", i))
	}
	if n := s.uncounted(service); n != 0 {
		t.Errorf("%d outcomes are uncounted", n)
	}
	s.pass(11 * time.Second)
	if n := s.uncounted(service); n != 12 {
		t.Errorf("%d of 12 outcomes are uncounted", n)
	}
	_, err := service.SetState(t.Context(), id, owner.Any, study.Paused)
	s.must(err)
	for range 4 {
		s.step(planner)
	}
	if n := s.uncounted(service); n != 0 || s.agreed().Answered != 12 {
		t.Errorf("%d outcomes are left", n)
	}
	s.create("draft", three(), study.Draft)
	s.must(service.Import(t.Context(), "draft", "survey", s.foreign(20)))
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
	s := begin(t, three())
	s.prefers(0, 0)
	var largest atomic.Int64
	service := s.slicing(paging{s.store, &largest}, "one", most)
	planner := service.Planner(id)
	s.must(service.Import(t.Context(), id, "survey", s.foreign(1500)))
	for range 20 {
		s.step(planner)
	}
	s.run(service, planner, 10, 5)
	largest.Store(0)
	e := s.erase(service, "f7")
	if e.Answers != 30 || e.After.Uncounted != 1550+len(s.log())-1550-most || !strings.Contains(e.Sentence(nil), "being counted again") {
		t.Errorf("%d answers were erased, %d are not counted: %s", e.Answers, e.After.Uncounted, e.Sentence(nil))
	}
	if n := largest.Load(); n > 1000 { // the size of a page
		t.Errorf("%d outcomes were in memory", n)
	}
	s.agreed()
	largest.Store(0)
	for i := 0; s.uncounted(service) > 0; i++ {
		if s.ask(service, "r"); i > 20 {
			t.Fatal("the log is never counted")
		}
		s.step(planner)
	}
	s.step(planner)
	if n := largest.Load(); n > most {
		t.Errorf("%d outcomes were in memory", n)
	}
	if plans := s.plans(); plans[0].Upto != most || plans[0].Afresh == nil || len(plans[0].Questions) == 0 {
		t.Errorf("the first plan counts %d outcomes and asks %d questions", plans[0].Upto, len(plans[0].Questions))
	}
	s.sliced(most)
	erased := s.agreed()

	s.create("other", three(), study.Open)
	extent, err := exports.ReadExtent(t.Context(), s.store, id)
	s.must(err)
	var others []owner.ImportedAnswer
	for o, err := range exports.Standing(t.Context(), s.store, id, extent) {
		s.must(err)
		others = append(others, s.told(o))
	}
	other := s.slicing(s.store, "two", most)
	s.must(other.Import(t.Context(), "other", "all", yielding(others...)))
	for scratch := other.Planner("other"); ; {
		s.step(scratch)
		if p, err := other.Progress(t.Context(), "other"); err != nil || p.Verdict.Answered == len(others) {
			s.must(err)
			if diff := cmp.Diff(p.Verdict, erased, cmpopts.IgnoreFields(study.Verdict{}, "Digest", "Settings", "Leaderboard"), cmpopts.EquateEmpty()); diff != "" || len(others) != 1520 {
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
		settings := three()
		if theta == 0 {
			settings.Budget = 600
		}
		s := begin(t, settings)
		s.prefers(theta, theta/2)
		var largest atomic.Int64
		service := s.slicing(paging{s.store, &largest}, "one", 100)
		s.must(service.Import(t.Context(), id, "survey", s.foreign(600)))
		for planner := service.Planner(id); s.step(planner); {
		}
		largest.Store(0)
		e := s.erase(service, "f7")
		if p := s.plans(); len(p) != 1 || p[0].Upto != 600 || e.After.Uncounted != 0 {
			t.Errorf("%d plans, of which the first counts %d outcomes; %d are not counted", len(p), p[0].Upto, e.After.Uncounted)
		}
		if st := s.study(); st.State != study.Done || st.Reason != reason || s.agreed().Answered != 588 {
			t.Errorf("%s, %s, %d answers", st.State, st.Reason, s.agreed().Answered)
		}
	}
}

// TestUndoneWhileADoneStudyIsCounted: an answer that is undone after its page was counted makes the
// erasure start again.
func TestUndoneWhileADoneStudyIsCounted(t *testing.T) {
	s := begin(t, three())
	s.prefers(0, 0)
	service := s.slicing(s.store, "one", 20)
	planner := service.Planner(id)
	s.step(planner)
	lease := s.ask(service, "anna")
	s.must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	s.must(service.Import(t.Context(), id, "survey", s.foreign(100)))
	_, err := service.SetState(t.Context(), id, owner.Any, study.Done)
	s.must(err)
	reads := 0
	store := &faulty{Store: s.store, before: func(call string) error {
		if call == "Log" {
			if reads++; reads == 5 { // after the first pages
				return service.Undo(t.Context(), id, lease.Token)
			}
		}
		return nil
	}}
	_, err = s.slicing(store, "two", 20).Erase(t.Context(), id, "f3")
	s.must(err)
	if verdict := s.agreed(); verdict.Answered != 98 || reads < 10 {
		t.Errorf("%d answers count, after %d reads", verdict.Answered, reads)
	}
}

// TestStopWhileASnapshotIsSaved: the snapshot and the plan are saved if the process is stopped
// while they are written.
func TestStopWhileASnapshotIsSaved(t *testing.T) {
	for _, call := range []string{"Append", "SaveSnapshot"} {
		t.Run(call, func(t *testing.T) {
			settings := three()
			settings.Strategy.LookEvery = 1 // so that one slice suffices, also on a slow machine
			s := begin(t, settings)
			s.prefers(0, 0)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			store := &faulty{Store: s.store, before: once(call, func() error { stop(); return nil })}
			service := s.serviceOn(store, wiring.Options{Name: "one", Clock: s.clock, Report: func(_ string, err error) { t.Error(err) }})
			s.must(service.Import(t.Context(), id, "survey", s.foreign(600)))
			if _, err := service.Planner(id).Step(ctx); err != nil {
				t.Error(err)
			}
			if plan, _, err := s.store.Snapshot(t.Context(), id); err != nil || plan != 1 || s.agreed().Answered != 600 {
				t.Errorf("the snapshot is of plan %d: %v", plan, err)
			}
		})
	}
}

// TestSnapshotAtStop: a process that stops saves a snapshot if many outcomes were counted since the
// last one, also if it stops while it reads the log.
func TestSnapshotAtStop(t *testing.T) {
	for name, told := range map[string]int{"little": 400, "much": 900} {
		inABubble(t, three(), func(s *stage) {
			s.prefers(0, 0)
			p := s.start("one", s.store)
			s.must(p.Import(s.Context(), id, "first", s.foreign(4000)))
			awaited(s.T, "it is counted", func() bool { return s.answered() == 4000 })
			before, _, err := s.store.Snapshot(s.Context(), id)
			s.must(err)
			s.must(p.Import(s.Context(), id, "second", s.foreign(told)))
			awaited(s.T, "it is counted", func() bool { return s.answered() == 4000+told })
			if now, _, err := s.store.Snapshot(s.Context(), id); err != nil || now != before {
				s.Fatalf("%s: there is a snapshot of plan %d: %v", name, now, err)
			}
			p.stop()
			after, _, err := s.store.Snapshot(s.Context(), id)
			s.must(err)
			if last := s.planCount(); (after == last) != (name == "much") {
				s.Errorf("%s: the log has %d plans, and the snapshot is of plan %d", name, last, after)
			}
			s.restores()
		})
	}
	s := begin(t, three())
	s.prefers(0, 0)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	store := &faulty{Store: s.store, before: once("nothing", nil)}
	service := s.serviceOn(store, wiring.Options{Name: "one", Clock: s.clock})
	planner := service.Planner(id)
	for i, n := range []int{4000, 900, 1} {
		s.must(service.Import(t.Context(), id, strconv.Itoa(i), s.foreign(n)))
		if i == 2 {
			store.before = once("Log", func() error { stop(); return nil })
		}
		if _, err := planner.Step(ctx); (err != nil) != (i == 2) {
			t.Errorf("step %d: %v", i, err)
		}
	}
	s.must(planner.Leave(ctx))
	if plan, _, err := s.store.Snapshot(t.Context(), id); err != nil || plan != 2 {
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
	s := begin(t, three())
	store := &faulty{Store: s.store, before: once("Lead", func() error { s.pass(9 * time.Second); return nil })}
	var counts accountant
	planner := s.serviceOn(store, wiring.Options{Name: "one", Clock: s.clock, Observer: &counts}).Planner(id)
	if activity, err := planner.Step(t.Context()); activity != planning.Busy || err != nil {
		t.Errorf("%v, %v", activity, err)
	}
	err := s.store.Lead(t.Context(), id, "two", s.clock(), s.clock().Add(time.Second))
	if led, ok := errors.AsType[*study.LedError](err); !ok || !led.Until.Equal(s.clock().Add(2*time.Second)) {
		t.Errorf("the lease: %#v", err)
	}
	if counts.planned.Load() != 1 || counts.discarded.Load() != 0 {
		t.Errorf("%d plans, %d discarded", counts.planned.Load(), counts.discarded.Load())
	}
}

// TestStalledPlanner: a planner that stalls past its lease, while another one plans, computes
// nothing more when it continues. Every outcome is counted once, by one of them.
func TestStalledPlanner(t *testing.T) {
	inABubble(t, three(), func(s *stage) {
		s.prefers(0, 0)
		var counts [2]accountant
		var appended [2]atomic.Int64
		var stalled atomic.Bool
		planners := make([]*planning.Planner, 2)
		for i := range planners {
			store := &faulty{Store: s.store, before: func(call string) error {
				switch {
				case call == "Append":
					appended[i].Add(1)
				case i == 0 && call == "Lead" && stalled.Load():
					time.Sleep(5 * time.Second) // a blocked call
				case i == 0 && call == "Log" && !stalled.Swap(true):
					time.Sleep(20 * time.Second)
				}
				return nil
			}}
			service := s.serviceOn(store, wiring.Options{Name: strconv.Itoa(i), Observer: &counts[i], Slice: 100})
			planners[i] = service.Planner(id)
		}
		s.must(s.service("importer").Import(s.Context(), id, "survey", s.foreign(1000)))
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
		s.must(<-done)
		if n := appended[0].Load(); n != 0 {
			s.Errorf("the stalled planner has computed %d plans", n)
		}
		if counts[0].discarded.Load() != 1 || counts[1].discarded.Load() != 0 || counts[1].planned.Load() != int64(s.planCount()) {
			s.Errorf("discarded: %d and %d", counts[0].discarded.Load(), counts[1].discarded.Load())
		}
		if verdict := s.agreed(); verdict.Answered != 1000 {
			s.Errorf("%d answers count", verdict.Answered)
		}
		s.sliced(100)
	})
}

package planning_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
)

// A replica is one of several processes, which can be cut off from the store. Processes that share a bus wake each other.
type replica struct {
	*process

	counts accountant
	cut    atomic.Bool
	hung   chan struct{} // plans are not written until it is closed
}

func newReplica(s *studytest.Stage, name string, wakes *bus, hung chan struct{}) *replica {
	s.Helper()
	r := &replica{hung: hung}
	store := &studytest.Faulty{Store: busStore{s.Store, wakes}, Before: func(call string) error {
		if call == "Append" && r.hung != nil {
			<-r.hung
		}
		if r.cut.Load() {
			return errors.New("the cable is cut")
		}
		return nil
	}}
	r.process = startWith(s, store, wiring.Options{Name: name, Observer: &r.counts})
	return r
}

// A bus carries calls of Wake to processes that listen.
type bus struct {
	mutex     sync.Mutex
	listeners []func(id string)
}

// A busStore is a store whose processes share a bus, which may be nil.
type busStore struct {
	study.Store

	bus *bus
}

func (b busStore) Wake(ctx context.Context, ids []string) error {
	if b.bus == nil {
		return b.Store.Wake(ctx, ids)
	}
	b.bus.mutex.Lock()
	defer b.bus.mutex.Unlock()
	for _, id := range ids {
		for _, woken := range b.bus.listeners {
			woken(id)
		}
	}
	return nil
}

func (b busStore) Listen(ctx context.Context, woken func(id string)) error {
	if b.bus == nil {
		return b.Store.Listen(ctx, woken)
	}
	b.bus.mutex.Lock()
	b.bus.listeners = append(b.bus.listeners, woken)
	b.bus.mutex.Unlock()
	<-ctx.Done()
	return ctx.Err()
}

// TestReplicasShareStudies: three processes share due studies, each of which has one planner at a time. A process takes no
// more than 64 studies whose planners wait. Others take them over when it dies, and at once when it stops.
func TestReplicasShareStudies(t *testing.T) {
	settings := studytest.Three()
	settings.Grace = -1
	studytest.InBubble(t, settings, func(s *studytest.Stage) {
		const studies, most = 100, 64
		ids := []string{id}
		for i := range studies - 1 {
			ids = append(ids, fmt.Sprint("study ", i))
			s.Create(ids[i+1], settings, study.Open)
		}
		planned := func() (n int) {
			for _, of := range ids {
				switch last, err := s.Store.LastPlan(s.Context(), of); {
				case err == nil && last.Number == 1:
					n++
				case !errors.Is(err, study.ErrNotFound):
					s.Fatalf("%s has plan %d: %v", of, last.Number, err)
				}
			}
			return n
		}
		within := func(most time.Duration, what string, is func() bool) {
			s.Helper()
			if took := studytest.Await(s.T, what, is); took > most {
				s.Errorf("%s only after %v, want at most %v", what, took, most)
			}
		}
		hung := make(chan struct{})
		one := newReplica(s, "one", nil, hung)
		time.Sleep(100 * time.Millisecond)
		two, three := newReplica(s, "two", nil, nil), newReplica(s, "three", nil, nil)
		within(5*time.Second, "the others plan the rest", func() bool { return planned() == studies-most })
		time.Sleep(10 * time.Second)
		if n := planned(); n != studies-most {
			s.Errorf("%d studies are planned while a process that lives has the leases of %d", n, most)
		}
		one.cut.Store(true)
		close(hung)
		within(6*time.Second, "the others plan all", func() bool { return planned() == studies })
		one.cut.Store(false)
		counted := func(by *replica, most time.Duration) {
			s.Helper()
			plans := planCount(s)
			s.Answer(by.Service, "anna")
			within(most, "the answer is counted", func() bool { return planCount(s) > plans })
		}
		for _, by := range []*replica{one, two, three} {
			counted(by, 1100*time.Millisecond)
		}
		three.stop()
		counted(two, 1100*time.Millisecond)
		for _, r := range []*replica{two, three} {
			if said := r.reported(); said != nil || r.counts.discarded.Load() != 0 {
				s.Errorf("%d plans were made in vain; reported: %q", r.counts.discarded.Load(), said)
			}
		}
		if n := one.counts.planned.Load() + two.counts.planned.Load() + three.counts.planned.Load(); n != studies+4 {
			s.Errorf("%d plans were written", n)
		}
		if verdict := s.Agreed(); verdict.Answered != 4 {
			s.Errorf("%+v", verdict)
		}
	})
}

// TestFailingReplica: a process that fails to plan a study lets another one try.
func TestFailingReplica(t *testing.T) {
	studytest.InBubble(t, studytest.Three(), func(s *studytest.Stage) {
		start(s, "one", &studytest.Faulty{Store: s.Store, Before: func(call string) error {
			if call == "Append" {
				return errors.New("the disk is full")
			}
			return nil
		}})
		time.Sleep(500 * time.Millisecond)
		start(s, "two", s.Store)
		studytest.Await(s.T, "there is a plan", func() bool { return planCount(s) == 1 })
	})
}

// TestReplicasWakeEachOther: an answer in a process that does not plan the study is counted at once, and a study that is
// opened there is planned at once.
func TestReplicasWakeEachOther(t *testing.T) {
	settings := studytest.Three()
	settings.Grace = -1
	studytest.InBubble(t, settings, func(s *studytest.Stage) {
		wakes := &bus{}
		replicas := []*replica{newReplica(s, "one", wakes, nil), newReplica(s, "two", wakes, nil)}
		time.Sleep(5 * time.Second)
		soon := 100 * time.Millisecond
		for _, by := range replicas {
			before := planCount(s)
			s.Answer(by.Service, "anna")
			if took := studytest.Await(s.T, "the answer is counted", func() bool { return planCount(s) > before }); took > soon {
				s.Errorf("the answer was counted after %v", took)
			}
		}
		for i := range 10 {
			by, of := replicas[0], fmt.Sprint("study ", i)
			s.Create(of, settings, study.Open)
			by.Live.Changed(of)
			if took := studytest.Await(s.T, of+" is planned", func() bool {
				_, err := s.Store.LastPlan(s.Context(), of)
				return err == nil
			}); took > soon {
				s.Errorf("%s was planned after %v", of, took)
			}
			time.Sleep(300 * time.Millisecond)
		}
	})
}

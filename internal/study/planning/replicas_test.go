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

// An attendant notes which studies a process plans.
type attendant struct {
	study.Unobserved

	mutex    sync.Mutex
	attended map[string]bool
}

func (a *attendant) Attended(id string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.attended[id] = true
}

func (a *attendant) Left(id string) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.attended, id)
}

// A replica is one of several processes, which can be cut off from the store. Processes that share a bus wake each other.
type replica struct {
	*studytest.Process

	attendant *attendant
	cut       atomic.Bool
}

func newReplica(s *studytest.Stage, name string, wakes *bus) *replica {
	s.Helper()
	r := &replica{attendant: &attendant{attended: map[string]bool{}}}
	store := &studytest.Faulty{Store: busStore{s.Store, wakes}, Before: func(string) error {
		if r.cut.Load() {
			return errors.New("the cable is cut")
		}
		return nil
	}}
	r.Process = s.StartWith(store, wiring.Options{Name: name, Observer: r.attendant})
	return r
}

// A bus carries calls of Wake to processes that listen.
type bus struct {
	mutex     sync.Mutex
	listeners []func(id string, shard int)
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
	all := make([]int, study.Shards)
	for i := range all {
		all[i] = i
	}
	pulses, err := b.Active(ctx, all, time.Time{}, ids)
	b.bus.mutex.Lock()
	defer b.bus.mutex.Unlock()
	for _, id := range ids {
		for _, pulse := range pulses {
			for _, woken := range b.bus.listeners {
				if pulse.ID == id {
					woken(id, pulse.Shard)
				}
			}
		}
	}
	return err
}

func (b busStore) Listen(ctx context.Context, woken func(id string, shard int)) error {
	if b.bus == nil {
		return b.Store.Listen(ctx, woken)
	}
	b.bus.mutex.Lock()
	b.bus.listeners = append(b.bus.listeners, woken)
	b.bus.mutex.Unlock()
	<-ctx.Done()
	return ctx.Err()
}

// share returns how long it takes until replicas attend the studies between them, each study once and all of them.
func share(s *studytest.Stage, studies int, replicas ...*replica) time.Duration {
	s.Helper()
	return studytest.Await(s.T, fmt.Sprintf("%d replicas share %d studies", len(replicas), studies), func() bool {
		sum, union := 0, map[string]bool{}
		for _, r := range replicas {
			r.attendant.mutex.Lock()
			sum += len(r.attendant.attended)
			for id := range r.attendant.attended {
				union[id] = true
			}
			few := len(r.attendant.attended) < studies/len(replicas)/3
			if r.attendant.mutex.Unlock(); few {
				return false
			}
		}
		return sum == studies && len(union) == studies
	})
}

// TestReplicasShareStudies: three processes share studies when they join, leave and die. All answers are counted.
func TestReplicasShareStudies(t *testing.T) {
	settings := studytest.Three()
	settings.Grace = -1
	studytest.InBubble(t, settings, func(s *studytest.Stage) {
		const studies = 30
		for i := range studies - 1 {
			s.Create(fmt.Sprint("study ", i), settings, study.Open)
		}
		within := func(what string, took, most time.Duration) {
			s.Helper()
			if took > most {
				s.Errorf("%s took %v, want at most %v", what, took, most)
			}
		}
		plans := 0
		counted := func(by *replica, most time.Duration) {
			s.Helper()
			plans = planCount(s)
			s.Answer(by.Service, "anna")
			within("counting", studytest.Await(s.T, "the answer is counted", func() bool { return planCount(s) > plans }), most)
		}
		one := newReplica(s, "one", nil)
		within("beginning", share(s, studies, one), 100*time.Millisecond)
		counted(one, 100*time.Millisecond)
		for i := range studies - 1 { // a question that may become overdue keeps a planner busy
			claim, err := s.Store.Claim(s.Context(), fmt.Sprint("study ", i), 1, s.Clock())
			if s.Must(err); len(claim.Questions) != 1 {
				s.Errorf("study %d has no question", i)
			}
		}
		s.Ask(one.Service, "open")
		two, last := newReplica(s, "two", nil), newReplica(s, "three", nil)
		within("joining", share(s, studies, one, two, last), 1500*time.Millisecond)
		for _, by := range []*replica{one, two, last} {
			counted(by, 1100*time.Millisecond)
		}
		last.Stop()
		within("leaving", share(s, studies, one, two), 1100*time.Millisecond)
		counted(two, 1100*time.Millisecond)
		one.cut.Store(true)
		within("dying", share(s, studies, two), 3100*time.Millisecond)
		counted(two, 2100*time.Millisecond) // the lease of the dead process must end
		one.cut.Store(false)
		within("returning", share(s, studies, one, two), 4*time.Second)
		counted(one, 1100*time.Millisecond)
		if said := append(two.Reported(), last.Reported()...); said != nil {
			s.Errorf("reported: %q", said)
		}
		if verdict := s.Agreed(); verdict.Answered != 7 {
			s.Errorf("%+v", verdict)
		}
	})
}

// TestReplicasWakeEachOther: an answer in a process that does not plan the study is counted at once, and a study that is
// opened there is planned at once.
func TestReplicasWakeEachOther(t *testing.T) {
	settings := studytest.Three()
	settings.Grace = -1
	studytest.InBubble(t, settings, func(s *studytest.Stage) {
		wakes := &bus{}
		replicas := []*replica{newReplica(s, "one", wakes), newReplica(s, "two", wakes)}
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
		for _, r := range replicas {
			if len(r.attendant.attended) == 0 {
				s.Error("one replica attends all studies")
			}
		}
	})
}

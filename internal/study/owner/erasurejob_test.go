package owner_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/jobs"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
)

// A jobList has the jobs that were added and not removed.
type jobList struct {
	mutex sync.Mutex
	jobs  []jobs.Args
	delay time.Duration // of the last one
	fail  error         // of AddJob
}

func (l *jobList) AddJob(_ context.Context, args jobs.Args, delay time.Duration) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.jobs, l.delay = append(l.jobs, args), delay
	return l.fail
}

func (l *jobList) RemoveJob(_ context.Context, args jobs.Args) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for i, j := range l.jobs {
		if j == args {
			l.jobs = append(l.jobs[:i], l.jobs[i+1:]...)
			break
		}
	}
	return nil
}

func (l *jobList) all() []jobs.Args {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.jobs)
}

// A haltingStore waits in Erase until leave has an error to return, or nil to erase.
type haltingStore struct {
	study.Store

	entered chan struct{}
	leave   chan error
}

func (s haltingStore) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	s.entered <- struct{}{}
	select {
	case err := <-s.leave:
		if err != nil {
			return study.Plan{}, err
		}
	case <-time.After(time.Minute):
		return study.Plan{}, errors.New("the test did not release the erasure within a minute")
	}
	return s.Store.Erase(ctx, id, respondent, p)
}

// halting returns a service whose erasures wait.
func halting(s *studytest.Stage) (*studytest.Service, haltingStore, *jobList) {
	s.Helper()
	store, list := haltingStore{s.Store, make(chan struct{}, 1), make(chan error, 1)}, &jobList{}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock, Jobs: list})
	s.Work(service, service.Planner(id), 1, 3)
	s.Answer(service, "anna")
	return service, store, list
}

// TestErasureJob: while an erasure runs there is a job, which completes it in another process. When it has ended, well or
// not, there is none.
func TestErasureJob(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service, store, list := halting(s)
	failure := errors.New("it failed")
	var accepted []jobs.Args
	go func() {
		select {
		case <-store.entered:
		case <-time.After(time.Minute):
			t.Error("the erasure does not begin within a minute")
		}
		accepted = list.all()
		store.leave <- failure
	}()
	if _, err := service.Erase(t.Context(), id, "anna"); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	job := jobs.Erasure{Study: id, Respondent: "anna"}
	if len(accepted) != 1 || accepted[0] != job || list.delay != time.Minute {
		t.Fatalf("while the erasure ran there were jobs %+v, delayed by %v", accepted, list.delay)
	}
	if left := list.all(); len(left) > 0 {
		t.Errorf("jobs are left: %+v", left)
	}
	other := s.Service("two")
	for range 2 {
		s.Must(other.CompleteErasure(t.Context(), job))
		s.Unknown("anna")
	}
	s.Must(other.Delete(t.Context(), id, owner.Any))
	s.Must(other.CompleteErasure(t.Context(), job))
}

// TestErasureJoined: the same request again, while the first one runs, has the same result.
func TestErasureJoined(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service, store, list := halting(s)
	var results [2]owner.Erasure
	var errs [2]error
	var erasing sync.WaitGroup
	for i := range results {
		erasing.Go(func() { results[i], errs[i] = service.Erase(t.Context(), id, "anna") })
		if i == 0 {
			studytest.Await(t, "the first erasure begins", func() bool { return len(store.entered) == 1 })
		}
	}
	studytest.Await(t, "both requests have a job", func() bool { return len(list.all()) == 2 })
	time.Sleep(50 * time.Millisecond) // the second request joins
	store.leave <- nil
	erasing.Wait()
	s.Must(errors.Join(errs[:]...))
	if diff := cmp.Diff(results[0], results[1]); diff != "" || results[0].Answers == 0 {
		t.Errorf("%d answers; %s", results[0].Answers, diff)
	}
}

// TestErasureRefused: an erasure is not begun if its job cannot be stored.
func TestErasureRefused(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	list := &jobList{fail: study.ErrUnavailable}
	service := s.ServiceOn(s.Store, wiring.Options{Name: "one", Clock: s.Clock, Jobs: list})
	s.Work(service, service.Planner(id), 1, 3)
	s.Answer(service, "anna")
	if _, err := service.Erase(t.Context(), id, "anna"); !errors.Is(err, study.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	history, err := s.Store.Respondent(t.Context(), id, "anna")
	s.Must(err)
	if history.Questions == 0 {
		t.Error("the respondent was erased")
	}
}

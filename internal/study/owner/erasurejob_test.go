package owner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/jobs"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/strategy"
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

// TestSentence: there is a sentence for each effect of an erasure on the verdict.
func TestSentence(t *testing.T) {
	verdict := func(status string, leader, possible int) study.Verdict {
		return study.Verdict{
			Status: status, Leader: leader, Contenders: make([]strategy.Standing, min(possible, 1)), Others: max(possible-1, 0),
			Answered: 20,
		}
	}
	asking := func(leader, possible int) study.Verdict { return verdict("asking", leader, possible) }
	early := asking(1, 3)
	early.Early = true
	for _, c := range []struct {
		before, after study.Verdict
		reason        study.Reason
		want          string
	}{
		{verdict("certified", 1, 0), verdict("certified", 1, 0), study.Certified, "The verdict is the same: B is certified as best."},
		{
			verdict("certified", 1, 0), verdict("certified", 2, 0), study.Certified,
			"B was certified as best; without these answers C is.",
		},
		{
			verdict("certified", 1, 0), asking(2, 1), study.Lapsed,
			"B was certified as best; without these answers nothing is certified, and C leads, 1 other is possible; the study can be opened again.",
		},
		{
			asking(1, 3), verdict("certified", 1, 0), study.Certified,
			"Nothing was certified; without these answers B is certified as best.",
		},
		{
			verdict("decided", 1, 0), verdict("decided", 1, 0), study.Refuted,
			"The verdict is the same: the answers do not fit the model, so nothing can be certified.",
		},
		{
			verdict("decided", 1, 0), asking(1, 2), study.Lapsed,
			"The answers did not fit the model; those that are left do not refute it, and B leads, 2 others are possible; the study can be opened again.",
		},
		{
			asking(1, 3), verdict("decided", 1, 0), study.Refuted,
			"Nothing was certified; the answers that are left do not fit the model, so nothing can be.",
		},
		{verdict("cyclic", 1, 2), verdict("cyclic", 2, 2), study.Cyclic, "The verdict is the same: there is no favourite."},
		{
			verdict("certified", 1, 0), verdict("cyclic", 1, 2), study.Cyclic,
			"Without these answers it is certified that there is no favourite.",
		},
		{
			verdict("cyclic", 1, 2), verdict("certified", 1, 0), study.Certified,
			"It was certified that there is no favourite; without these answers B is certified as best.",
		},
		{
			verdict("cyclic", 1, 2), asking(1, 3), study.Lapsed,
			"It was certified that there is no favourite; without these answers nothing is certified, and B leads, 3 others are possible; the study can be opened again.",
		},
		{asking(1, 3), asking(1, 3), "", "The verdict is the same: nothing is certified, and B leads, 3 others are possible."},
		{asking(1, 3), asking(2, 3), "", "Nothing was certified, and nothing is; now C leads, 3 others are possible."},
		{asking(1, 3), asking(1, 4), "", "Nothing was certified, and nothing is; now B leads, 4 others are possible."},
		{asking(1, 3), early, "", "Nothing was certified, and nothing is; now it is too early to name a leader."},
		{asking(-1, 0), asking(-1, 0), "", "There was no verdict yet, and there is none."},
	} {
		e := owner.Erasure{
			Skips: 1, Before: overview.Progress{Verdict: c.before},
			After: overview.Progress{Verdict: c.after, Study: study.Study{Reason: c.reason}},
		}
		if got := e.Sentence(func(arm int) string { return fmt.Sprintf("%c", 'A'+arm) }); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		e.Skips = 0
		if got := e.Sentence(nil); got != "Nothing was recorded of this respondent, so nothing has changed." {
			t.Errorf("without data: %s", got)
		}
	}
}

package owner_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/jobs"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/strategy"
)

// A leavingStore fails at a call of RemoveNames, after the first pages are sealed.
type leavingStore struct{ study.Store }

func (s leavingStore) RemoveNames(ctx context.Context, id string, at time.Time) error {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for ctx.Err() == nil {
			if st, err := s.Study(ctx, id); err != nil || !st.Unnamed.IsZero() {
				cancel()
			}
		}
	}()
	return errors.Join(errors.New("the process is gone"), s.Store.RemoveNames(ctx, id, at))
}

// ended returns a study with three respondents, imported answers and a note that its owner has stopped.
func ended(t *testing.T, settings study.Settings) (*studytest.Stage, *studytest.Service, *jobList) {
	t.Helper()
	settings.Notes = true
	s, list := studytest.Begin(t, settings), &jobList{}
	service := s.ServiceOn(s.Store, wiring.Options{Name: "one", Clock: s.Clock, Jobs: list})
	planner := service.Planner(id)
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(4)))
	s.Work(service, planner, 3, 3)
	lease := s.Ask(service, "anna")
	ticket, err := service.OpenTicket(t.Context(), id, lease.Token)
	s.Must(err)
	note := study.Note{Rationale: "because my neighbour said so", Metadata: map[string]string{"town": "Ulm"}}
	s.Must(service.AnswerWith(t.Context(), ticket, s.Crowd.Pick(lease.Shown, lease.Picks()), note))
	s.Pass(time.Minute)
	_, err = service.SetState(t.Context(), id, owner.Any, study.Done)
	s.Must(err)
	s.Finish(planner)
	return s, service, list
}

// keep sets for how many days names are kept, and returns the jobs that a look then adds.
func keep(s *studytest.Stage, service *studytest.Service, list *jobList, days int) []jobs.Args {
	s.Helper()
	_, err := service.Change(s.Context(), id, owner.Any, func(st *study.Study) error {
		st.Settings.Retention = days
		return nil
	})
	s.Must(err)
	ctx, cancel := context.WithTimeout(s.Context(), time.Second/2)
	defer cancel()
	service.Retain(ctx)
	return list.all()
}

// TestRetention: names and notes are in the log until as many days after the end as the owner says have passed, and not
// afterwards. Verdict and digests stay, the log verifies at all times and says that names were removed, and the study
// cannot be opened again. An interrupted removal is completed.
func TestRetention(t *testing.T) {
	majority := studytest.Limited(4)
	majority.Strategy.Assume, majority.Strategy.Epsilon = strategy.Majority, 0.2
	for name, settings := range map[string]study.Settings{"linear": studytest.Three(), "majority": majority} {
		t.Run(name, func(t *testing.T) {
			s, service, list := ended(t, settings)
			before, log := s.Agreed(), s.Outcomes()
			s.Pass(36 * time.Hour)
			if early := slices.Concat(keep(s, service, list, 0), keep(s, service, list, 2)); len(early) > 0 {
				t.Errorf("early: %v", early)
			}
			job := jobs.Erasure{Study: id}
			s.Must(service.CompleteErasure(t.Context(), job)) // not due
			if diff := cmp.Diff(log, s.Outcomes()); diff != "" {
				t.Error(diff)
			}
			if due := keep(s, service, list, 1); len(due) != 1 || due[0] != job {
				t.Fatalf("due: %v", due)
			}
			killed := s.ServiceOn(leavingStore{s.Store}, wiring.Options{Name: "two", Clock: s.Clock})
			if err := killed.CompleteErasure(t.Context(), job); err == nil {
				t.Error("a killed process completes its job")
			}
			if diff := cmp.Diff(before, s.Agreed()); diff != "" {
				t.Error(diff)
			}
			for range 2 {
				s.Must(service.CompleteErasure(t.Context(), job))
				if diff := cmp.Diff(before, s.Agreed()); diff != "" {
					t.Error(diff)
				}
			}
			if more := keep(s, service, list, 1); len(more) != 1 {
				t.Errorf("jobs after the removal: %v", more[1:])
			}
			exported := s.Exported()
			for _, o := range log {
				if o.Respondent != "" && strings.Contains(exported, `"`+o.Respondent+`"`) {
					t.Errorf("the log has %s", o.Respondent)
				}
			}
			for _, text := range []string{"neighbour", "Ulm", `"salt"`} {
				if strings.Contains(exported, text) {
					t.Errorf("the log has %s", text)
				}
			}
			report, err := replay.Verify(strings.NewReader(exported))
			s.Must(err)
			if want := "pseudonyms stand for people"; !strings.Contains(strings.Join(report.Notes, " "), want) {
				t.Errorf("the notes are %q, want one with %q", report.Notes, want)
			}
			if _, err := service.SetState(t.Context(), id, owner.Any, study.Open); study.Coded(err).Code != study.CodeWrongState {
				t.Errorf("opened again: %v", err)
			}
			pseudonym := log[len(log)-1].Sealed("salt").Respondent
			if e := s.Erase(service, pseudonym); !e.Any() {
				t.Error("nothing of a pseudonym is erased")
			}
			s.Agreed()
		})
	}
}

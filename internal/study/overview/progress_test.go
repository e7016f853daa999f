package overview_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
)

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
	if err != nil || p.Plan != 3 || !p.At.Equal(s.Clock()) || p.Verdict.Answered != 6 || p.Verdict.Leader < 0 || len(p.Verdict.Contenders) == 0 || p.Verdict.Digest == "" {
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
		want := []message{{0, 1, 0}, {1, 1, 3 * time.Second}, {1, 2, 6 * time.Second}, {1, 3, 9 * time.Second}, {1, 4, 12 * time.Second}, {2, 4, 15 * time.Second}}
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

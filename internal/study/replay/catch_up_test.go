package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/internal/study"
)

// A memoryLog is an in-memory store of outcomes.
type memoryLog struct {
	study.Outcomes

	log []study.Outcome
}

func (l memoryLog) Log(_ context.Context, _ string, after int64, limit int) ([]study.Outcome, error) {
	_, rest := Split(l.log, after)
	return slices.Clone(rest[:min(limit, len(rest))]), nil
}

func (l memoryLog) Undone(_ context.Context, _ string, after int64) (back []study.Outcome, err error) {
	answered := map[study.Position]int64{}
	for _, o := range l.log {
		if o.Kind == study.Answered {
			answered[o.Position] = o.Number
		}
		if n := answered[o.Position]; o.Kind == study.Undone && o.Number > after && n <= after {
			back = append(back, o)
		}
	}
	return back, nil
}

// TestLogReader: for all sizes of pages and plans, each outcome is returned once, and exactly the
// answers that the whole log undoes are undone.
func TestLogReader(t *testing.T) {
	store := memoryLog{}
	for i, step := range []string{"a0", "a1", "a2", "u1", "a3", "a1", "a4", "u3", "a5", "a6", "u1", "a7", "u0", "a0", "u5"} {
		o := study.Outcome{Number: int64(i) + 1, Kind: study.Answered, Position: study.Position(step[1] - '0')}
		if step[0] == 'u' {
			o.Kind = study.Undone
		}
		store.log = append(store.log, o)
	}
	length := int64(len(store.log))
	var stand []int64
	for at, back := range takenBack(store.log) {
		if store.log[at].Kind == study.Answered && !back {
			stand = append(stand, store.log[at].Number)
		}
	}
	for page := 1; page < 20; page++ {
		for every := int64(1); every <= length; every++ {
			reader := logReader{store: store, page: page}
			var told []int64
			for upto := min(every, length); ; upto = min(upto+every, length) {
				for reader.last < upto {
					log, err := reader.next(t.Context(), study.Plan{LastCounted: upto, LastSeen: length})
					if err != nil || len(log) == 0 {
						t.Fatalf("after %d: %v, %v", reader.last, log, err)
					}
					for at, back := range takenBack(log) {
						if o := log[at]; o.Number <= reader.last && o.Kind == study.Answered && !back {
							told = append(told, o.Number)
						}
					}
				}
				if upto == length {
					break
				}
			}
			if fmt.Sprint(told) != fmt.Sprint(stand) {
				t.Errorf("pages of %d, plans of %d: counted %v, standing %v", page, every, told, stand)
			}
		}
	}
}

// TestCoresTakeTurns: of two heavy computations on one core, each waits at most about a quantum for
// the other. A light one waits for neither.
func TestCoresTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := Cores{all: make(chan struct{}, 2), heavy: make(chan struct{}, 1)}
		longest := time.Duration(0)
		compute := func(pause func() error) error {
			for range 100 {
				time.Sleep(5 * time.Millisecond) // stands for a computation
				before := time.Now()
				if err := pause(); err != nil {
					return err
				}
				longest = max(longest, time.Since(before))
			}
			return nil
		}
		done := make(chan error, 2)
		for range 2 {
			go func() { done <- one.Use(t.Context(), Heavy, compute) }()
		}
		synctest.Wait()
		began := time.Now()
		if err := one.Use(t.Context(), light, func(func() error) error { return nil }); err != nil || time.Since(began) > 0 {
			t.Errorf("a light computation waited %v: %v", time.Since(began), err)
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if longest == 0 || longest > quantum+5*time.Millisecond {
			t.Errorf("a heavy computation waited %v for the other", longest)
		}
	})
}

// TestTellIsInterrupted: counting ends between two outcomes, with an error when the lease is lost,
// and without one when the process stops.
func TestTellIsInterrupted(t *testing.T) {
	log := make([]study.Outcome, 100)
	for i := range log {
		log[i] = study.Outcome{Number: int64(i) + 1, Kind: study.Erased}
	}
	after := func(n int, then func()) func() error {
		return func() error {
			if n--; n == 0 {
				then()
			}
			return nil
		}
	}
	lost, cancel := context.WithCancelCause(t.Context())
	r := &Replayer{}
	err := NewCores().Use(lost, Heavy, func(pause func() error) error {
		count := after(10, func() { cancel(study.ErrNotYours) })
		return r.tell(log, 100, func() error { return errors.Join(count(), pause()) })
	})
	if !errors.Is(err, study.ErrNotYours) || r.State.LastCounted != 10 {
		t.Errorf("%d outcomes are counted: %v", r.State.LastCounted, err)
	}
	stop := make(chan struct{})
	r = &Replayer{}
	err = NewCores().Use(t.Context(), Heavy, func(pause func() error) error {
		check, count := Patience(stop, pause), after(20, func() { close(stop) })
		return r.tell(log, 100, func() error { return errors.Join(count(), check()) })
	})
	if err != nil || r.State.LastCounted != 20 {
		t.Errorf("%d outcomes are counted: %v", r.State.LastCounted, err)
	}
}

package replay

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/internal/study"
)

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

package sqlstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bestpick/internal/study"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func answer(p study.Position) study.Outcome {
	return study.Outcome{Position: p, Kind: study.Answered, Shown: []int{3, 1}, Picks: []int{0}}
}

// TestFailed: if the transaction fails, its results do not count.
func TestFailed(t *testing.T) {
	full := errors.New("the disk is full")
	w := NewWriter(func(requests []*Request, _ bool) error {
		requests[0].Refused, requests[0].Err = []error{nil}, study.ErrNotFound
		return full
	})
	defer w.Close()
	if refused, err := w.Record(t.Context(), "a", study.Terms{}, answer(1)); refused != nil || !errors.Is(err, full) {
		t.Errorf("got %v, %v", refused, err)
	}
}

// TestGoneAway: a cancelled caller does not wait for its request, which is still written.
func TestGoneAway(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release, written := make(chan struct{}), false
	w := NewWriter(func([]*Request, bool) error {
		cancel()
		<-release
		written = true
		return nil
	})
	if _, err := w.Record(ctx, "a", study.Terms{}, answer(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(release)
	w.Close()
	if !written {
		t.Error("it was not written")
	}
}

// TestLocked: requests of a locked study wait, requests of other studies do not, and waiting
// requests are written together.
func TestLocked(t *testing.T) {
	locked := make(chan struct{})
	var together atomic.Int32
	w := NewWriter(func(requests []*Request, wait bool) error {
		for _, r := range requests {
			r.Locked = false
			select {
			case <-locked:
			default:
				r.Locked = r.Study == "b"
			}
			if wait && r.Study != "b" {
				t.Errorf("a transaction waits for %s", r.Study)
			}
			if r.Study == "b" && !r.Locked {
				together.Store(max(together.Load(), int32(len(requests))))
			}
			r.Refused = make([]error, len(r.Entries))
		}
		return nil
	})
	defer w.Close()
	var waiting sync.WaitGroup
	const many = 10
	for i := range many {
		waiting.Go(func() {
			if refused, err := w.Record(t.Context(), "b", study.Terms{}, answer(study.Position(i))); err != nil || len(refused) != 1 {
				t.Errorf("b: %v, %v", refused, err)
			}
		})
	}
	for i := range study.Position(200) {
		if _, err := w.Record(t.Context(), "a", study.Terms{}, answer(i)); err != nil {
			t.Error(err)
		}
	}
	gone, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := w.Record(gone, "b", study.Terms{}, answer(many)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one who goes away: %v", err)
	}
	close(locked)
	waiting.Wait()
	if together.Load() < 2 {
		t.Errorf("%d requests of b were written together", together.Load())
	}
}

// TestLockedForTooLong: a request whose study stays locked fails with ErrBusy.
func TestLockedForTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWriter(func(requests []*Request, _ bool) error {
			for _, r := range requests {
				r.Locked = true
			}
			return nil
		})
		defer w.Close()
		if refused, err := w.Record(t.Context(), "a", study.Terms{}, answer(0)); refused != nil || !errors.Is(err, study.ErrBusy) {
			t.Errorf("got %v, %v", refused, err)
		}
	})
}

// TestTogether: what comes while the writer is busy is written at once, and no more than allowed.
func TestTogether(t *testing.T) {
	busy, release := make(chan struct{}), make(chan struct{})
	var sizes []int
	w := newGroupWriter(4, func(requests []int) {
		sizes = append(sizes, len(requests))
		if len(sizes) == 1 {
			close(busy)
			<-release
		}
	})
	if err := w.Put(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	<-busy
	var waiting, written sync.WaitGroup
	for i := range 6 {
		waiting.Add(1)
		written.Go(func() {
			waiting.Done()
			if err := w.Put(t.Context(), i); err != nil {
				t.Error(err)
			}
		})
	}
	waiting.Wait()
	close(release)
	written.Wait()
	w.Close()
	total := 0
	for i, n := range sizes {
		total += n
		if n > 4 || i == 0 && n != 1 {
			t.Errorf("write %d has %d requests", i, n)
		}
	}
	if total != 7 {
		t.Errorf("%d requests were written, want 7", total)
	}
}

func TestClosed(t *testing.T) {
	w := newGroupWriter(1, func([]int) {})
	w.Close()
	w.Close()
	if err := w.Put(t.Context(), 1); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

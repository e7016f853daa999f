package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
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

func TestRecord(t *testing.T) {
	w := NewWriter(func(requests []*Request, _ bool) error {
		for _, r := range requests {
			if e := r.Entries[0]; r.Study != "a" || e.ShownJSON != "[3,1]" || e.PicksJSON != "[0]" {
				t.Errorf("%q, %+v", r.Study, e)
			}
			r.Refused = []error{nil, study.ErrTaken}
		}
		return nil
	})
	defer w.Close()
	refused, err := w.Record(t.Context(), "a", study.NoLimit, answer(1), answer(1))
	if err != nil || len(refused) != 2 || refused[0] != nil || !errors.Is(refused[1], study.ErrTaken) {
		t.Errorf("got %v, %v", refused, err)
	}
}

// TestFailed: if the transaction fails, its results do not count.
func TestFailed(t *testing.T) {
	full := errors.New("the disk is full")
	w := NewWriter(func(requests []*Request, _ bool) error {
		requests[0].Refused, requests[0].Err = []error{nil}, study.ErrNotFound
		return full
	})
	defer w.Close()
	if refused, err := w.Record(t.Context(), "a", study.NoLimit, answer(1)); refused != nil || !errors.Is(err, full) {
		t.Errorf("got %v, %v", refused, err)
	}
}

func TestNothingBad(t *testing.T) {
	w := NewWriter(func([]*Request, bool) error {
		t.Error("it was written")
		return nil
	})
	imported := study.Outcome{Position: study.OutsideDeck, Kind: study.Imported}
	for _, bad := range []study.Outcome{imported, {Position: 1, Kind: study.Erased}, answer(-1), {Kind: "guessed"}} {
		if _, err := w.Record(t.Context(), "a", study.NoLimit, answer(0), bad); err == nil {
			t.Errorf("%+v was recorded", bad)
		}
	}
	w.Close()
	if _, err := w.Record(t.Context(), "a", study.NoLimit, answer(0)); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
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
	if _, err := w.Record(ctx, "a", study.NoLimit, answer(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(release)
	w.Close()
	if !written {
		t.Error("it was not written")
	}
}

// several yields outcomes.
func several(outcomes ...study.Outcome) iter.Seq2[study.Outcome, error] {
	return func(yield func(study.Outcome, error) bool) {
		for _, o := range outcomes {
			if !yield(o, nil) {
				return
			}
		}
	}
}

// TestImport checks that a batch is staged in chunks and ended, or discarded if an outcome is
// invalid.
func TestImport(t *testing.T) {
	var steps []string
	step := func(format string, args ...any) { steps = append(steps, fmt.Sprintf(format, args...)) }
	imports := Import{
		Chunk: 2,
		Begin: func(_ context.Context, id, batch string) (int64, error) {
			step("begin %s %s", id, batch)
			return 7, nil
		},
		Stage: func(_ context.Context, key, rows int64, chunk []Entry) error {
			last := chunk[len(chunk)-1]
			step("stage %d %d+%d %s %s", key, rows, len(chunk), last.ShownJSON, last.PicksJSON)
			return nil
		},
		End: func(_ context.Context, id, batch string, key, rows int64) error {
			step("end %s %s %d %d", id, batch, key, rows)
			return nil
		},
		Discard: func(_ context.Context, key int64) error {
			step("discard %d", key)
			return nil
		},
	}
	good := study.Outcome{Position: study.OutsideDeck, Kind: study.Imported, Shown: []int{1, 2}}
	if err := imports.Run(t.Context(), "a", "survey", several(good, good, good)); err != nil {
		t.Fatal(err)
	}
	if want := []string{
		"begin a survey", "stage 7 0+2 [1,2] null", "stage 7 2+1 [1,2] null",
		"end a survey 7 3",
	}; !slices.Equal(steps, want) {
		t.Errorf("got %q, want %q", steps, want)
	}
	ofTheDeck := good
	ofTheDeck.Position = 3
	for want, bad := range map[string]study.Outcome{
		`store: batch "survey", outcome 3: the kind must be imported, got "answered"`:                                  answer(1),
		`store: batch "survey", outcome 3: study: question 3: an imported answer must not have a position in the deck`: ofTheDeck,
	} {
		steps = nil
		err := imports.Run(t.Context(), "a", "survey", several(good, good, bad, good))
		if err == nil || err.Error() != want || !slices.Equal(steps, []string{
			"begin a survey", "stage 7 0+2 [1,2] null",
			"discard 7",
		}) {
			t.Errorf("got %v after %q, want %s", err, steps, want)
		}
	}
	if err := imports.Run(t.Context(), "a", "\xff", several(good)); err == nil ||
		err.Error() != `store: invalid batch name "\xff": must be valid UTF-8 of at most 1000 bytes` {
		t.Errorf("got %v", err)
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
			if refused, err := w.Record(t.Context(), "b", study.NoLimit, answer(study.Position(i))); err != nil || len(refused) != 1 {
				t.Errorf("b: %v, %v", refused, err)
			}
		})
	}
	for i := range study.Position(200) {
		if _, err := w.Record(t.Context(), "a", study.NoLimit, answer(i)); err != nil {
			t.Error(err)
		}
	}
	gone, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := w.Record(gone, "b", study.NoLimit, answer(many)); !errors.Is(err, context.DeadlineExceeded) {
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
		if refused, err := w.Record(t.Context(), "a", study.NoLimit, answer(0)); refused != nil || !errors.Is(err, study.ErrBusy) {
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

func TestCancelled(t *testing.T) {
	written := false
	w := newGroupWriter(1, func([]int) { written = true })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Put(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	w.Close()
	if written {
		t.Error("a cancelled request was written")
	}
}

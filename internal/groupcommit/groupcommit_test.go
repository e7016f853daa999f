package groupcommit_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"bestpick/internal/groupcommit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTogether: what comes while the writer is busy is written at once, and no more than allowed.
func TestTogether(t *testing.T) {
	busy, release := make(chan struct{}), make(chan struct{})
	var sizes []int
	w := groupcommit.New(4, func(requests []int) {
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
	w := groupcommit.New(1, func([]int) {})
	w.Close()
	w.Close()
	if err := w.Put(t.Context(), 1); !errors.Is(err, groupcommit.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestCancelled(t *testing.T) {
	written := false
	w := groupcommit.New(1, func([]int) { written = true })
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

package storetest

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"sync"
	"time"

	"bestpick/internal/study"
)

// batchOf yields n imported answers.
func batchOf(n int) iter.Seq2[study.Outcome, error] {
	return func(yield func(study.Outcome, error) bool) {
		for i := range n {
			if !yield(imported(i), nil) {
				return
			}
		}
	}
}

// Batch yields outcomes.
func Batch(outcomes ...study.Outcome) iter.Seq2[study.Outcome, error] {
	return func(yield func(study.Outcome, error) bool) {
		for _, o := range outcomes {
			if !yield(o, nil) {
				return
			}
		}
	}
}

// importDuringRecords tests that two openers record answers during imports. Numbers have no gaps, a
// reader who follows the log misses nothing, and each batch is contiguous.
func importDuringRecords(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const respondents, each, batches, size = 8, 100, 10, 50
	var writers, reader sync.WaitGroup
	for g := range respondents {
		writers.Go(func() {
			for i := range each {
				if _, err := stores[g%2].Record(s.Context(), "a", study.NoLimit, answer(study.Position(g*each+i))); err != nil {
					s.Error(err)
				}
			}
		})
	}
	for g := range stores {
		writers.Go(func() {
			for i := range batches {
				if err := stores[g].Import(s.Context(), "a", fmt.Sprint(g, i), batchOf(size)); err != nil {
					s.Error(err)
				}
			}
		})
	}
	finished := make(chan struct{})
	reader.Go(func() { s.follow(stores[1], "a", finished) })
	writers.Wait()
	close(finished)
	reader.Wait()

	outcomes := s.log(stores[0], "a")
	s.numbered(outcomes)
	if want := respondents*each + 2*batches*size; len(outcomes) != want {
		s.Errorf("there are %d outcomes, want %d", len(outcomes), want)
	}
	next := 0 // index in the current batch
	for _, o := range outcomes {
		switch {
		case o.Kind == study.Imported && o.At.Equal(imported(next).At):
			next = (next + 1) % size
		case o.Kind == study.Imported || next > 0:
			s.Fatalf("outcome %d is %s after %d of a batch", o.Number, o.Kind, next)
		}
	}
}

// importGivenUp tests that a cancelled import is atomic.
func importGivenUp(s *stage) {
	store := s.withStudy()
	const size = 500
	for round := range 10 {
		before, name := len(s.log(store, "a")), strconv.Itoa(round)
		ctx, cancel := context.WithTimeout(s.Context(), time.Duration(round)*time.Millisecond)
		err := store.Import(ctx, "a", name, batchOf(size))
		cancel()
		outcomes := s.log(store, "a")
		s.numbered(outcomes)
		written := len(outcomes) - before
		if written != 0 && written != size || err == nil && written == 0 {
			s.Errorf("round %d: %d were written, %v", round, written, err)
		}
		again := store.Import(s.Context(), "a", name, Batch())
		if written > 0 {
			s.wants(study.ErrTaken, again)
		} else {
			s.must(again)
		}
	}
}

package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"

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

// imports tests that imported answers are in the log like all others, and belong to no question of
// the deck.
func imports(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.planned(store, "a", 2)
	s.recorded(store, "a", []error{nil}, answer(0))
	s.must(store.Import(ctx, "a", "survey", batchOf(3)))
	s.recorded(store, "a", []error{nil}, answer(1))
	s.must(store.Import(ctx, "a", "another", batchOf(1)))

	want := []study.Outcome{answer(0), imported(0), imported(1), imported(2), answer(1), imported(0)}
	for i := range want {
		want[i].Number = int64(i) + 1
	}
	if diff := cmp.Diff(want, s.log(store, "a")); diff != "" {
		s.Error(diff)
	}
	_, err := store.At(ctx, "a", study.Elsewhere)
	s.wants(study.ErrNotFound, err)
	positions, unclaimed, err := store.Overdue(ctx, "a", start.AddDate(1, 0, 0), 9)
	s.must(err)
	if len(positions) > 0 || unclaimed != 2 {
		s.Errorf("questions %v are overdue, %d are unclaimed", positions, unclaimed)
	}
	s.planned(store, "a", 0) // counts all of them
	last, err := store.Last(ctx, "a")
	s.must(err)
	if last.Upto != 6 {
		s.Errorf("the last plan tells up to %d", last.Upto)
	}
}

// importTwice tests that each study imports a batch once, whatever its contents.
func importTwice(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.must(store.Create(ctx, sample("b"), nil))
	names := []string{"", " ", "survey", "Survey", "survey ", "“Umfrage” Nr. 1\n\t'%_\\", "\u0301", strings.Repeat("long", 250)}
	for _, name := range names {
		s.must(store.Import(ctx, "a", name, batchOf(1)))
	}
	for _, name := range names {
		s.wants(study.ErrTaken, store.Import(ctx, "a", name, batchOf(2)))
		s.must(store.Import(ctx, "b", name, Batch())) // an empty batch counts, too
		s.wants(study.ErrTaken, store.Import(ctx, "b", name, batchOf(1)))
	}
	outcomes := s.log(store, "a")
	s.numbered(outcomes)
	if len(outcomes) != len(names) || len(s.log(store, "b")) > 0 {
		s.Errorf("there are %d and %d outcomes, want %d and 0", len(outcomes), len(s.log(store, "b")), len(names))
	}
}

// importNothingBad tests that an invalid outcome rejects the whole batch, which may be imported
// again.
func importNothingBad(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	for name, spoil := range map[string]func(*study.Outcome){
		"of the deck":        func(o *study.Outcome) { o.Position = 1 },
		"an answer":          func(o *study.Outcome) { *o = answer(1) },
		"an answer to none":  func(o *study.Outcome) { o.Kind = study.Answered },
		"undone":             func(o *study.Outcome) { o.Kind = study.Undone },
		"no kind":            func(o *study.Outcome) { o.Kind = "" },
		"a zero byte":        func(o *study.Outcome) { o.Respondent = "a\x00" },
		"a segment, no text": func(o *study.Outcome) { o.Segment = "\xff" },
	} {
		bad := imported(1)
		spoil(&bad)
		if err := store.Import(ctx, "a", "survey", Batch(imported(0), bad, imported(2))); err == nil || errors.Is(err, study.ErrTaken) {
			s.Errorf("%s: got %v", name, err)
		}
	}
	for _, name := range []string{"\x00", "a\x00", "\xff", strings.Repeat("x", 100_000)} {
		if err := store.Import(ctx, "a", name, batchOf(1)); err == nil {
			s.Errorf("a batch was imported as %.10q", name)
		}
	}
	if _, err := store.Record(ctx, "a", study.NoLimit, answer(0), imported(0)); err == nil {
		s.Error("an imported answer was recorded")
	}
	if outcomes := s.log(store, "a"); len(outcomes) > 0 {
		s.Errorf("there are %v", outcomes)
	}
	s.must(store.Import(ctx, "a", "survey", batchOf(3)))
}

// importAtOnce tests that of many concurrent imports of one batch, one succeeds.
func importAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const rounds, size = 10, 7
	for round := range rounds {
		var won atomic.Int32
		var owners sync.WaitGroup
		for g := range 8 {
			owners.Go(func() {
				err := stores[g%2].Import(s.Context(), "a", strconv.Itoa(round), batchOf(size))
				if err == nil {
					won.Add(1)
				} else {
					s.wants(study.ErrTaken, err)
				}
			})
		}
		owners.Wait()
		if won.Load() != 1 {
			s.Errorf("batch %d was imported %d times", round, won.Load())
		}
	}
	outcomes := s.log(stores[0], "a")
	s.numbered(outcomes)
	if len(outcomes) != rounds*size {
		s.Errorf("there are %d outcomes, want %d", len(outcomes), rounds*size)
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

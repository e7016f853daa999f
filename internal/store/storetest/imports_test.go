package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
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

// batch yields outcomes.
func batch(outcomes ...study.Outcome) iter.Seq2[study.Outcome, error] {
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
				if _, err := stores[g%2].Record(s.Context(), "a", study.Terms{}, answer(study.Position(g*each+i))); err != nil {
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
		again := store.Import(s.Context(), "a", name, batch())
		if written > 0 {
			s.wants(study.ErrTaken, again)
		} else {
			s.must(again)
		}
	}
}

// large is the number of rows of a batch that every store stages in several chunks.
const large = 12_000

// during calls do before the first of every few rows of a batch. While an import reads the next row
// it must hold no lock, so do may use the store.
func during(batch iter.Seq2[study.Outcome, error], every int, do func(row int) error) iter.Seq2[study.Outcome, error] {
	return func(yield func(study.Outcome, error) bool) {
		row := 0
		for o, err := range batch {
			if row%every == 0 && err == nil {
				err = do(row)
			}
			if !yield(o, err) || err != nil {
				return
			}
			row++
		}
	}
}

// importLarge tests that, during the import of a large batch, answers are recorded, questions
// claimed and plans written without delay, and planners see nothing of the batch. Afterwards they
// see all of it.
func importLarge(s *stage) {
	const size, every = 15_000, 1500
	store, other := s.withStudy(), s.store()
	ctx, cancel := context.WithTimeout(s.Context(), 5*time.Minute)
	defer cancel()
	s.planned(store, 1)
	var recorded []study.Outcome
	err := store.Import(ctx, "a", "survey", during(batchOf(size), every, func(row int) error {
		p := study.Position(row / every)
		results, err := other.Record(ctx, "a", study.Terms{}, answer(p))
		if err != nil || results[0] != nil {
			return errors.Join(err, errors.Join(results...))
		}
		recorded = append(recorded, answer(p))
		recorded[p].Number = int64(p) + 1
		if diff := cmp.Diff(recorded, s.log(other, "a")); diff != "" { //nolint:contextcheck // the stage has a context
			s.Errorf("after %d rows: %s", row, diff)
		}
		if _, err := other.Claim(ctx, "a", 1, start); err != nil {
			return err
		}
		s.planned(other, 1) //nolint:contextcheck // the stage has a context
		return nil
	}))
	s.must(err)
	outcomes := s.log(store, "a")
	s.numbered(outcomes)
	if len(outcomes) != len(recorded)+size {
		s.Fatalf("there are %d outcomes, want %d", len(outcomes), len(recorded)+size)
	}
	for i, o := range outcomes[len(recorded):] {
		want := imported(i)
		want.Number = o.Number
		if !reflect.DeepEqual(want, o) { // much faster than cmp.Diff
			s.Fatal(cmp.Diff(want, o))
		}
	}
	s.must(s.record(store, study.NoLimit, answer(100)))
	s.pages(store, int64(len(recorded)))
}

// pages tests every page of the log, also at the boundaries of imported outcomes.
func (s *stage) pages(store Store, first int64) {
	s.Helper()
	all := s.log(store, "a")
	end := int64(len(all))
	for _, after := range []int64{0, first - 2, first - 1, first, first + 1, end - 3, end - 1, end} {
		for _, limit := range []int{0, 1, 2, 4, 1000} {
			got, err := store.Log(s.Context(), "a", after, limit)
			s.must(err)
			if want := all[after:min(int(after)+limit, len(all))]; !cmp.Equal(got, want, sameWhenEmpty()) {
				s.Errorf("%d after %d: got %v, want %v", limit, after, got, want)
			}
		}
	}
}

// importFails tests that nothing counts of a batch that ends with an error or is cancelled, at any
// row. The batch may be imported again.
func importFails(s *stage) {
	store := s.withStudy()
	s.importBroken(store)
	s.must(s.record(store, study.NoLimit, answer(0)))
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	s.wants(context.Canceled, store.Import(ctx, "a", "survey", during(batchOf(2*large), large, func(row int) error {
		if row > 0 {
			cancel()
		}
		return nil
	})))
	bad := append(slices.Repeat([]study.Outcome{imported(0)}, large), answer(1))
	if err := store.Import(s.Context(), "a", "survey", batch(bad...)); err == nil {
		s.Error("an answer of the deck was imported")
	}
	if outcomes := s.log(store, "a"); len(outcomes) != 1 {
		s.Errorf("there are %d outcomes", len(outcomes))
	}
	batches, err := store.Batches(s.Context(), "a")
	s.must(err)
	if len(batches) > 0 {
		s.Errorf("there are batches %q", batches)
	}
	s.must(store.Import(s.Context(), "a", "survey", batchOf(2)))
	s.numbered(s.log(store, "a"))
	s.wants(study.ErrTaken, store.Import(s.Context(), "a", "survey", func(func(study.Outcome, error) bool) {
		s.Error("a batch that is there is read again")
	}))
}

// importBroken imports a large batch that ends with an error.
func (s *stage) importBroken(store Store) {
	s.Helper()
	broken := errors.New("the file is broken")
	s.wants(broken, store.Import(s.Context(), "a", "survey", during(batchOf(large), large-1, func(row int) error {
		if row > 0 {
			return broken
		}
		return nil
	})))
}

// failedImport tests that a batch that ends with an error leaves no staged rows.
func failedImport(t *testing.T, d database) {
	t.Helper()
	place := d.create(t)
	s := d.stage(t, place)
	s.importBroken(s.withStudy())
	for _, table := range []string{"imports", "imported", "batches"} {
		if left := rowsIn(t, d.connect(t, place), table); left > 0 {
			t.Errorf("%s has %d rows", table, left)
		}
	}
}

// importAndDelete tests that a study deleted during an import stays deleted.
func importAndDelete(s *stage) {
	store := s.withStudy()
	err := store.Import(s.Context(), "a", "survey", during(batchOf(2*large), large, func(row int) error {
		if row == 0 {
			return nil
		}
		return store.Delete(s.Context(), "a")
	}))
	s.wants(study.ErrNotFound, err)
	_, err = store.Log(s.Context(), "a", 0, 1)
	s.wants(study.ErrNotFound, err)
}

// importAndErase tests that imported outcomes of a respondent are erased anywhere in a large batch,
// and that others remain.
func importAndErase(s *stage) {
	store := s.withStudy()
	theirs := []int{0, 4999, 5000, large - 1}
	s.must(store.Import(s.Context(), "a", "survey", func(yield func(study.Outcome, error) bool) {
		for i := range large {
			o := imported(i)
			if slices.Contains(theirs, i) {
				o.Respondent = anna
			}
			if !yield(o, nil) {
				return
			}
		}
	}))
	_, err := store.Erase(s.Context(), "a", anna, s.restart(store, 1))
	s.must(err)
	for i, o := range s.log(store, "a") {
		want := imported(i)
		want.Number = int64(i) + 1
		if slices.Contains(theirs, i) {
			want = gone(want.Number, study.OutsideDeck)
		}
		if diff := cmp.Diff(want, o); diff != "" {
			s.Fatal(diff)
		}
	}
}

// importMemory tests that memory does not grow with the number of imported rows.
func importMemory(t *testing.T, d database, rows int) {
	t.Helper()
	const limit = 12 << 20 // bytes; a slice of 60,000 outcomes takes more, even without the data that they point to
	s := d.stage(t, d.create(t))
	store := s.withStudy()
	before, peak := heap(), uint64(0)
	s.must(store.Import(t.Context(), "a", "survey", during(batchOf(rows), rows/8, func(int) error {
		peak = max(peak, heap())
		return nil
	})))
	if peak > before+limit {
		t.Errorf("an import of %d rows took %d MB of memory", rows, (peak-before)>>20)
	}
	last, err := store.Log(t.Context(), "a", int64(rows)-1, 2)
	s.must(err)
	if len(last) != 1 || last[0].Number != int64(rows) {
		t.Errorf("the log ends with %+v", last)
	}
}

// heap returns the number of bytes in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

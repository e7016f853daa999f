package sqlstore

import (
	"context"
	"iter"

	"bestpick/internal/study"
)

// An Import stages the outcomes of a batch in chunks, and then appends them to the log of a study
// in one short transaction, independent of their number. A store provides the transactions.
type Import struct {
	Chunk   int                                                                // rows per transaction
	Begin   func(ctx context.Context, id, batch string) (key int64, err error) // ErrTaken if the batch was imported before
	Stage   func(ctx context.Context, key, rows int64, chunk []Entry) error    // appends a chunk to the staged rows
	End     func(ctx context.Context, id, batch string, key, rows int64) error // appends the staged rows
	Discard func(ctx context.Context, key int64) error                         // deletes the staged rows, unless End has succeeded
}

// Run imports a batch. If it fails, it discards the staged rows; rows that it cannot discard must
// be swept later.
func (i Import) Run(ctx context.Context, id, batch string, outcomes iter.Seq2[study.Outcome, error]) (err error) {
	if err := checkBatch(batch); err != nil {
		return err
	}
	key, err := i.Begin(ctx, id, batch)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = i.Discard(context.WithoutCancel(ctx), key)
		}
	}()
	rows := int64(0)
	for chunk, err := range chunks(batch, outcomes, i.Chunk) {
		if err != nil {
			return err
		}
		if err := i.Stage(ctx, key, rows, chunk); err != nil {
			return err
		}
		rows += int64(len(chunk))
	}
	return i.End(ctx, id, batch, key, rows)
}

// chunks returns the entries of a batch in chunks, each of which is valid until the next. They end
// with an error if an outcome is invalid or not imported.
func chunks(batch string, outcomes iter.Seq2[study.Outcome, error], size int) iter.Seq2[[]Entry, error] {
	return func(yield func([]Entry, error) bool) {
		n := 0
		chunk := make([]Entry, 0, size)
		for o, err := range outcomes {
			n++
			var e Entry
			if err == nil {
				e, err = importedEntry(batch, n, o)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if chunk = append(chunk, e); len(chunk) < size {
				continue
			}
			if !yield(chunk, nil) {
				return
			}
			chunk = chunk[:0]
		}
		if len(chunk) > 0 {
			yield(chunk, nil)
		}
	}
}

package sqlstore

import (
	"context"
	"iter"

	"bestpick/internal/study"
)

// An Import stages the outcomes of a batch in chunks, and then appends them to the log of a study in one short
// transaction, independent of their number. A store provides what differs.
type Import struct {
	Chunk   int                                                             // rows per transaction
	Stage   func(ctx context.Context, key, rows int64, chunk []Entry) error // appends a chunk to the staged rows
	Discard func(ctx context.Context, key int64) error                      // deletes the staged rows, unless they were appended
	Sweep   func(ctx context.Context) error                                 // discards the staged rows of killed processes
}

// RunImport imports a batch. If it fails, it discards the staged rows; rows that it cannot discard are swept later.
func (s *Store) RunImport(ctx context.Context, i Import, id, batch string, outcomes iter.Seq2[study.Outcome, error]) (err error) {
	if err := checkBatch(batch); err != nil {
		return err
	}
	key, err := s.beginImport(ctx, i, id, batch)
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
	return s.endImport(ctx, id, batch, key, rows)
}

// beginImport adds an import without staged rows, unless the batch was imported before.
func (s *Store) beginImport(ctx context.Context, i Import, id, batch string) (key int64, err error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return 0, err
	}
	var taken bool
	err = s.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM batches WHERE study = $1 AND name = $2)`, k, batch).Scan(&taken)
	if err != nil {
		return 0, err
	}
	if taken {
		return 0, study.ErrTaken
	}
	if err := i.Sweep(ctx); err != nil {
		return 0, err
	}
	err = s.db.Transact(ctx, func(tx Querier) error {
		return Found(tx.QueryRow(ctx, `INSERT INTO imports (study) SELECT key FROM studies WHERE key = $1 RETURNING key`, k).Scan(&key))
	})
	return key, err
}

// endImport appends the staged rows to the log of their study.
func (s *Store) endImport(ctx context.Context, id, batch string, key, rows int64) error {
	return s.alone(ctx, id, func(tx Querier, p Progress) error {
		n, err := tx.Exec(ctx, `INSERT INTO batches (study, name) VALUES ($1, $2) ON CONFLICT DO NOTHING`, p.Study, batch)
		if err := changed(n, err, study.ErrTaken); err != nil {
			return err
		}
		n, err = tx.Exec(ctx, `UPDATE imports SET after = $1, rows = $2 WHERE key = $3`, p.Outcomes, rows, key)
		if err := changed(n, err, study.ErrNotFound); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE progress SET outcomes = outcomes + $1, answers = answers + $1 WHERE study = $2`, rows, p.Study)
		return err
	})
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

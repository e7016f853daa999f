package postgres

import (
	"context"
	"iter"

	"github.com/jackc/pgx/v5"

	"bestpick/store/recording"
	"bestpick/store/sqlstore"
	"bestpick/study"
)

// chunkRows is how many rows of an import are copied in one transaction.
const chunkRows = 5000

// Import stages the outcomes of a batch chunk by chunk, without a lock of the study, and then gives them
// their place in the log, which takes one short transaction however many they are.
func (s *Store) Import(ctx context.Context, id, batch string, outcomes iter.Seq2[study.Outcome, error]) (err error) {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	chunks, err := recording.Import(batch, outcomes, chunkRows)
	if err != nil {
		return err
	}
	key, err := s.beginImport(ctx, id, batch)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			s.discard(ctx, key)
		}
	}()
	rows, err := s.stage(ctx, key, chunks)
	if err != nil {
		return err
	}
	return s.endImport(ctx, id, batch, key, rows)
}

// beginImport adds an import to which nothing is staged yet, unless the batch was imported before.
func (s *Store) beginImport(ctx context.Context, id, batch string) (key int64, err error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return 0, err
	}
	var taken bool
	if err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM batches WHERE study = $1 AND name = $2)`, k, batch).Scan(&taken); err != nil {
		return 0, err
	}
	if taken {
		return 0, study.ErrTaken
	}
	if err := s.sweep(ctx); err != nil {
		return 0, err
	}
	err = s.pool.QueryRow(ctx, `INSERT INTO imports (study) SELECT key FROM studies WHERE key = $1 RETURNING key`, k).Scan(&key)
	return key, sqlstore.Found(err)
}

// stage copies chunks and returns how many rows they have.
func (s *Store) stage(ctx context.Context, key int64, chunks iter.Seq2[[]recording.Entry, error]) (rows int64, err error) {
	for chunk, err := range chunks {
		if err != nil {
			return 0, err
		}
		if err := s.copyChunk(ctx, key, rows, chunk); err != nil {
			return 0, err
		}
		rows += int64(len(chunk))
	}
	return rows, nil
}

// copyChunk copies a chunk, after so many rows. One is copied at a time, so that imports need one
// connection of the pool, and that for moments only.
func (s *Store) copyChunk(ctx context.Context, key, rows int64, chunk []recording.Entry) error {
	select {
	case s.copying <- struct{}{}:
		defer func() { <-s.copying }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		touched, err := tx.Exec(ctx, `UPDATE imports SET touched = now() WHERE key = $1`, key)
		if err == nil && touched.RowsAffected() == 0 {
			err = study.ErrNotFound // it was deleted with its study
		}
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"imported"},
			[]string{"import", "place", "kind", "shown", "picks", "respondent", "segment", "asked", "at"},
			pgx.CopyFromSlice(len(chunk), func(i int) ([]any, error) {
				e := chunk[i]
				return []any{key, rows + int64(i) + 1, string(e.Kind), e.ShownJSON, e.PicksJSON, e.Respondent, e.Segment, e.Asked, e.At}, nil
			}))
		return err
	})
}

// endImport appends the staged rows to the log of their study.
func (s *Store) endImport(ctx context.Context, id, batch string, key, rows int64) error {
	return s.alone(ctx, id, func(tx pgx.Tx, p sqlstore.Progress) error {
		done, err := tx.Exec(ctx, `INSERT INTO batches (study, name) VALUES ($1, $2) ON CONFLICT DO NOTHING`, p.Study, batch)
		if err == nil && done.RowsAffected() == 0 {
			err = study.ErrTaken
		}
		if err != nil {
			return err
		}
		done, err = tx.Exec(ctx, `UPDATE imports SET after = $1, rows = $2 WHERE key = $3`, p.Outcomes, rows, key)
		if err == nil && done.RowsAffected() == 0 {
			err = study.ErrNotFound
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE progress SET outcomes = $1 WHERE study = $2`, p.Outcomes+rows, p.Study)
		return err
	})
}

// discard deletes what an import has staged, unless it counts: it may, if the connection was lost while
// it was committed. What cannot be deleted now is swept later.
func (s *Store) discard(ctx context.Context, key int64) {
	ctx, cancel := atLeisure(context.WithoutCancel(ctx))
	defer cancel()
	_, _ = s.pool.Exec(ctx, `DELETE FROM imports WHERE key = $1 AND after IS NULL`, key)
}

// sweep deletes what imports have staged whose processes were killed. An import that is swept by mistake,
// because it stood still for an hour, fails.
func (s *Store) sweep(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM imports WHERE after IS NULL AND touched < now() - interval '1 hour'`)
	return err
}

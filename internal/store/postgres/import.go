package postgres

import (
	"context"
	"iter"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// chunkRows is the number of rows of an import that one transaction copies.
const chunkRows = 5000

// Import imports a batch.
func (s *Store) Import(ctx context.Context, id, batch string, outcomes iter.Seq2[study.Outcome, error]) error {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	return sqlstore.Import{
		Chunk: chunkRows, Begin: s.beginImport, Stage: s.copyChunk, End: s.endImport,
		Discard: s.discard,
	}.Run(ctx, id, batch, outcomes)
}

// beginImport adds an import without staged rows, unless the batch was imported before.
func (s *Store) beginImport(ctx context.Context, id, batch string) (key int64, err error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return 0, err
	}
	var taken bool
	pool := querier{s.pool}
	if err := pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM batches WHERE study = $1 AND name = $2)`, k,
		batch).Scan(&taken); err != nil {
		return 0, err
	}
	if taken {
		return 0, study.ErrTaken
	}
	if err := s.sweep(ctx); err != nil {
		return 0, err
	}
	err = pool.QueryRow(ctx, `INSERT INTO imports (study) SELECT key FROM studies WHERE key = $1 RETURNING key`, k).Scan(&key)
	return key, sqlstore.Found(err)
}

// copyChunk copies a chunk that follows the given number of rows. It copies one chunk at a time, so
// that imports occupy only one connection of the pool, and only briefly.
func (s *Store) copyChunk(ctx context.Context, key, rows int64, chunk []sqlstore.Entry) error {
	select {
	case s.copying <- struct{}{}:
		defer func() { <-s.copying }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		touched, err := tx.Exec(ctx, `UPDATE imports SET touched = now() WHERE key = $1`, key)
		if err == nil && touched.RowsAffected() == 0 {
			err = study.ErrNotFound // the import was deleted with its study
		}
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"imported"},
			[]string{"import", "place", "kind", "shown", "picks", "respondent", "segment", "asked", "at", "note"},
			pgx.CopyFromSlice(len(chunk), func(i int) ([]any, error) {
				e := chunk[i]
				return []any{
					key, rows + int64(i) + 1, string(e.Kind), e.ShownJSON, e.PicksJSON, e.Respondent, e.Segment, e.Asked,
					e.At, e.NoteJSON,
				}, nil
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

// discard deletes the staged rows of an import unless they were committed, which is possible if the
// connection was lost during the commit.
func (s *Store) discard(ctx context.Context, key int64) error {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	_, err := querier{s.pool}.Exec(ctx, `DELETE FROM imports WHERE key = $1 AND after IS NULL`, key)
	return err
}

// sweep deletes the staged rows of killed processes. It also sweeps, and so fails, an import
// without progress for an hour.
func (s *Store) sweep(ctx context.Context) error {
	_, err := querier{s.pool}.Exec(ctx, `DELETE FROM imports WHERE after IS NULL AND touched < now() - interval '1 hour'`)
	return err
}

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// chunkRows is the number of rows of an import that one transaction writes or deletes. Other
// transactions run in between.
const chunkRows = 1000

// Import imports a batch.
func (s *Store) Import(ctx context.Context, id, batch string, outcomes iter.Seq2[study.Outcome, error]) error {
	return sqlstore.Import{
		Chunk: chunkRows, Begin: s.beginImport, Stage: s.writeChunk, End: s.endImport,
		Discard: s.discard,
	}.Run(ctx, id, batch, outcomes)
}

// beginImport adds an import without staged rows, unless the batch was imported before.
func (s *Store) beginImport(ctx context.Context, id, batch string) (imported int64, err error) {
	if err := s.sweep(ctx); err != nil {
		return 0, err
	}
	k, err := s.Key(ctx, id)
	if err != nil {
		return 0, err
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `
			INSERT INTO imports (study) SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM batches WHERE study = ?1 AND name = ?2) RETURNING key`,
			k, batch).Scan(&imported)
		if errors.Is(err, sql.ErrNoRows) {
			return study.ErrTaken
		}
		return err
	})
	return imported, err
}

// writeChunk writes a chunk that follows the given number of rows.
func (s *Store) writeChunk(ctx context.Context, key, rows int64, chunk []sqlstore.Entry) error {
	return s.transact(ctx, func(tx *sql.Tx) (err error) {
		// ErrNotFound if the import was deleted with its study.
		if err := changed(tx.ExecContext(ctx, `UPDATE imports SET touched = unixepoch() WHERE key = ?`, key)); err != nil {
			return err
		}
		insert, err := tx.PrepareContext(ctx, `
			INSERT INTO imported (import, place, kind, shown, picks, respondent, segment, asked, at, note)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, insert.Close()) }()
		for i, e := range chunk {
			_, err := insert.ExecContext(ctx, key, rows+int64(i)+1, string(e.Kind), e.ShownJSON, e.PicksJSON, e.Respondent,
				e.Segment, moment(e.Asked), moment(e.At), e.NoteJSON)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// endImport appends the staged rows to the log of their study.
func (s *Store) endImport(ctx context.Context, id, batch string, key, rows int64) error {
	return s.recordTo(ctx, func(r *recorder) error {
		l, err := r.ledger(id)
		if err != nil {
			return err
		}
		err = changed(r.tx.ExecContext(ctx, `INSERT INTO batches (study, name) VALUES (?, ?) ON CONFLICT DO NOTHING`, l.study, batch))
		if errors.Is(err, study.ErrNotFound) {
			return study.ErrTaken
		} else if err != nil {
			return err
		}
		err = changed(r.tx.ExecContext(ctx, `UPDATE imports SET after = ?, rows = ? WHERE key = ?`, l.last, rows, key))
		l.last += rows
		return err
	})
}

// sweep deletes the staged rows of killed processes. It also sweeps, and so fails, an import
// without progress for an hour.
func (s *Store) sweep(ctx context.Context) error {
	rows, err := querier{s.readers}.Query(ctx, `SELECT key FROM imports WHERE after IS NULL AND touched < unixepoch() - 3600`)
	left, err := sqlstore.Collect(rows, err, sqlstore.Column[int64])
	for _, key := range left {
		err = errors.Join(err, s.discard(ctx, key))
	}
	return err
}

// discard deletes the staged rows of an import unless they were committed, which is possible if the
// disk failed during the commit.
func (s *Store) discard(ctx context.Context, key int64) error {
	for more := true; more; {
		err := s.transact(ctx, func(tx *sql.Tx) error {
			err := changed(tx.ExecContext(ctx, `
				DELETE FROM imported WHERE import = ?1 AND place IN (
					SELECT place FROM imported JOIN imports ON key = import WHERE import = ?1 AND after IS NULL LIMIT ?2
				)`, key, chunkRows))
			if more = err == nil; !errors.Is(err, study.ErrNotFound) {
				return err
			}
			_, err = tx.ExecContext(ctx, `DELETE FROM imports WHERE key = ? AND after IS NULL`, key)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// chunkRows is the number of rows of an import that one transaction writes or deletes. Other
// transactions run in between.
const chunkRows = 1000

// Import imports a batch.
func (s *Store) Import(ctx context.Context, id, batch string, outcomes iter.Seq2[study.Outcome, error]) error {
	i := sqlstore.Import{Chunk: chunkRows, Stage: s.writeChunk, Discard: s.discard, Sweep: s.sweep}
	return s.RunImport(ctx, i, id, batch, outcomes)
}

// writeChunk writes a chunk that follows the given number of rows.
func (s *Store) writeChunk(ctx context.Context, key, rows int64, chunk []sqlstore.Entry) error {
	return s.transact(ctx, func(tx *transaction) error {
		// ErrNotFound if the import was deleted with its study.
		if err := changed(tx.ExecContext(ctx, `UPDATE imports SET touched = unixepoch() WHERE key = ?`, key)); err != nil {
			return err
		}
		for i, e := range chunk {
			_, err := tx.ExecContext(ctx, `
				INSERT INTO imported (import, place, kind, shown, picks, respondent, segment, asked, at, note)
					VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				key, rows+int64(i)+1, string(e.Kind), e.ShownJSON, e.PicksJSON, e.Respondent, e.Segment, moment(e.Asked), moment(e.At),
				e.NoteJSON)
			if err != nil {
				return err
			}
		}
		return nil
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
		err := s.transact(ctx, func(tx *transaction) error {
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

// Adopt writes a study from another store.
func (s *Store) Adopt(ctx context.Context, w study.Archive) error {
	entries, err := sqlstore.AdoptedEntries(w)
	if err != nil {
		return err
	}
	return s.recordTo(ctx, func(r *recorder) error {
		return dialect.Adopt(ctx, querier{r.tx}, w, func(int64) error {
			l, err := r.ledger(w.Study.ID)
			if err != nil {
				return err
			}
			return r.adopt(l, entries)
		})
	})
}

// adopt writes a log that another store wrote.
func (r *recorder) adopt(l *ledger, entries []sqlstore.Entry) error {
	for _, e := range entries {
		var err error
		switch {
		case e.Position == study.OutsideDeck:
			l.Outcomes++
			err = r.append(l, e, nil)
		case e.Kind == study.Erased:
			err = r.writeErased(l, e)
		default:
			err = r.write(l, e)
		}
		if errors.Is(err, study.ErrTaken) {
			return fmt.Errorf("sqlite: outcome %d contradicts earlier ones of its question", e.Number)
		}
		if err != nil {
			return err
		}
	}
	_, err := r.exec(`
		UPDATE questions SET stands = 1
		WHERE study = ?1 AND stands = 0 AND number IN (SELECT number FROM outcomes WHERE study = ?1 AND kind = 'erased')`, l.Study)
	return errors.Join(err, r.count())
}

// writeErased writes an outcome that was erased elsewhere. Its kind is unknown: it may have been an
// answer or an undo, so any outcome of the question may follow.
func (r *recorder) writeErased(l *ledger, e sqlstore.Entry) error {
	l.Outcomes++
	if _, err := r.exec(stand, l.Study, e.Position, l.Outcomes); err != nil {
		return err
	}
	if _, err := r.exec(undo, l.Outcomes, l.Study, e.Position); err != nil {
		return err
	}
	return r.append(l, e, nil)
}

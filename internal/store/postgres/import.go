package postgres

import (
	"context"
	"fmt"
	"iter"
	"slices"

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
	i := sqlstore.Import{Chunk: chunkRows, Stage: s.copyChunk, Discard: s.discard, Sweep: s.sweep}
	return s.RunImport(ctx, i, id, batch, outcomes)
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
	return s.transact(ctx, durable, func(tx pgx.Tx) error {
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

// Adopt writes a study from another store.
func (s *Store) Adopt(ctx context.Context, w study.Archive) error {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	entries, err := sqlstore.AdoptedEntries(w)
	if err != nil {
		return err
	}
	return s.transact(ctx, durable, func(tx pgx.Tx) error {
		return dialect.Adopt(ctx, querier{tx}, w, func(k int64) error { return adopt(ctx, tx, k, entries) })
	})
}

// adopt writes a log that another store wrote.
func adopt(ctx context.Context, tx pgx.Tx, k int64, entries []sqlstore.Entry) error {
	const page = 10_000
	l := newLedger(sqlstore.Progress{Study: k, State: study.Open}) // takes all outcomes
	for some := range slices.Chunk(entries, page) {
		clear(l.changed)
		var o outcomes
		for _, e := range some {
			if e.Position == study.OutsideDeck {
				l.Outcomes++
				o.add(k, l.Outcomes, e, nil)
				continue
			}
			if l.questions[e.Position].kind == study.Erased {
				delete(l.questions, e.Position) // the kind of an erased outcome is unknown, so any outcome may follow
			}
			undoes, err := l.add(study.NoLimit, e)
			if err != nil {
				return fmt.Errorf("postgres: outcome %d contradicts earlier ones of its question", e.Number)
			}
			o.add(k, l.Outcomes, e, undoes)
		}
		if err := send(ctx, tx, map[string]*ledger{"": l}, &o); err != nil {
			return err
		}
	}
	return nil
}

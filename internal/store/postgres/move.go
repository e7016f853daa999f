package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// Adopt writes a study from another store.
func (s *Store) Adopt(ctx context.Context, w study.Archive) error {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	entries, err := sqlstore.AdoptedEntries(w)
	if err != nil {
		return err
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		return dialect.Adopt(ctx, querier{tx}, w, func(k int64) error { return adopt(ctx, tx, k, entries) })
	})
}

// adopt writes a log that another store wrote.
func adopt(ctx context.Context, tx pgx.Tx, k int64, entries []sqlstore.Entry) error {
	const page = 10_000
	l := &ledger{study: k, questions: map[study.Position]standing{}}
	for some := range slices.Chunk(entries, page) {
		l.changed = map[study.Position]bool{}
		var o outcomes
		for _, e := range some {
			if e.Position == study.OutsideDeck {
				l.last++
				o.add(k, l.last, e, nil)
				continue
			}
			if l.questions[e.Position].kind == study.Erased {
				delete(l.questions, e.Position) // the kind of an erased outcome is unknown, so any outcome may follow
			}
			undoes, err := l.add(study.NoLimit, e)
			if err != nil {
				return fmt.Errorf("postgres: outcome %d contradicts earlier ones of its question", e.Number)
			}
			o.add(k, l.last, e, undoes)
		}
		if err := send(ctx, tx, map[string]*ledger{"": l}, &o); err != nil {
			return err
		}
	}
	return nil
}

package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// Adopt adds a study with all its data.
func (s *Store) Adopt(ctx context.Context, w study.Archive) error {
	ctx, cancel := atLeisure(ctx)
	defer cancel()
	entries, err := sqlstore.AdoptedEntries(w)
	if err != nil {
		return err
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		k, err := sqlstore.Create(ctx, querier{tx}, w.Study, w.Catalogue)
		if err != nil {
			return err
		}
		if err := adopt(ctx, tx, k, entries); err != nil {
			return err
		}
		if err := putMembers(ctx, querier{tx}, k, w.Members, true); err != nil {
			return err
		}
		if err := sqlstore.AddPictures(ctx, querier{tx}, k, w.Pictures); err != nil {
			return err
		}
		if err := sqlstore.AddProfiles(ctx, querier{tx}, k, w.Profiles); err != nil {
			return err
		}
		for _, p := range w.Plans {
			if err := sqlstore.AddPlan(ctx, querier{tx}, k, p); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO batches (study, name) SELECT $1, unnest($2::text[])`, k, w.Batches)
		if err != nil {
			return err
		}
		return dialect.Claim(ctx, querier{tx}, k, int64(w.Begun()), int64(w.Claimed), time.Unix(0, 0))
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
			if e.Position == study.Elsewhere {
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

package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"bestpick/access"
)

// AddEntry adds what somebody did. One is added at a time, so that whoever goes through them page by
// page misses none that gets a lower number than one that he has seen.
func (s *Store) AddEntry(ctx context.Context, e access.Entry) error {
	if err := e.Check(); err != nil {
		return err
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE audit IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO audit (at, actor, operation, about, detail) VALUES ($1, $2, $3, $4, $5)`,
			e.At, e.By, e.Operation, e.Study, e.Detail)
		return err
	})
}

// Entries returns what was done, newest first.
func (s *Store) Entries(ctx context.Context, before int64, limit int) ([]access.Entry, error) {
	return all(ctx, s.pool, func(row pgx.CollectableRow) (e access.Entry, err error) {
		err = row.Scan(&e.Number, &e.At, &e.By, &e.Operation, &e.Study, &e.Detail)
		e.At = utc(e.At)
		return e, err
	}, `SELECT number, at, actor, operation, about, detail FROM audit WHERE number < $1 ORDER BY number DESC LIMIT $2`, before, max(limit, 0))
}

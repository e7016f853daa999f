package sqlstore

import (
	"context"

	"bestpick/internal/study"
)

// Beat registers a replica and returns all replicas.
func (s *Store) Beat(ctx context.Context, r study.Replica) (replicas []study.Replica, err error) {
	err = s.db.Transact(ctx, func(tx Querier) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO replicas (name, until) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET until = excluded.until`, r.Name, r.Until)
		if err != nil {
			return err
		}
		replicas, err = replicasIn(ctx, tx)
		return err
	})
	return replicas, err
}

// Replicas returns all replicas in the order of their names.
func (s *Store) Replicas(ctx context.Context) ([]study.Replica, error) { return replicasIn(ctx, s.db) }

func replicasIn(ctx context.Context, db Querier) ([]study.Replica, error) {
	rows, err := db.Query(ctx, `SELECT name, until FROM replicas ORDER BY name`)
	return Collect(rows, err, func(row Row) (r study.Replica, err error) {
		err = row.Scan(&r.Name, &r.Until)
		r.Until = utc(r.Until)
		return r, err
	})
}

// Depart removes a replica.
func (s *Store) Depart(ctx context.Context, r study.Replica) error {
	return s.db.Transact(ctx, func(tx Querier) error {
		_, err := tx.Exec(ctx, `DELETE FROM replicas WHERE name = $1 AND until = $2`, r.Name, r.Until)
		return err
	})
}

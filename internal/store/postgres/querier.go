package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"bestpick/internal/store/sqlstore"
)

// statements has the common methods of a transaction and a pool.
type statements interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// A querier runs the shared queries and classifies errors.
type querier struct{ statements }

var _ sqlstore.Querier = querier{}

// Exec runs a statement and returns the number of affected rows.
func (q querier) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	done, err := q.statements.Exec(ctx, query, args...)
	return done.RowsAffected(), classify(err)
}

// Query selects rows.
func (q querier) Query(ctx context.Context, query string, args ...any) (sqlstore.Rows, error) {
	list, err := q.statements.Query(ctx, query, args...)
	return rows{list}, classify(err)
}

// QueryRow selects one row.
func (q querier) QueryRow(ctx context.Context, query string, args ...any) sqlstore.Row {
	return row{q.statements.QueryRow(ctx, query, args...)}
}

type row struct{ pgx.Row }

func (r row) Scan(into ...any) error { return classify(r.Row.Scan(into...)) }

type rows struct{ pgx.Rows }

func (r rows) Scan(into ...any) error { return classify(r.Rows.Scan(into...)) }

func (r rows) Err() error { return classify(r.Rows.Err()) }

// A database is the interface of the store for the shared queries.
type database struct {
	querier // the pool

	store *Store
}

// Transact runs f in a transaction.
func (d database) Transact(ctx context.Context, f func(tx sqlstore.Querier) error) error {
	return d.store.transact(ctx, func(tx pgx.Tx) error { return f(querier{tx}) })
}

// AtLeisure returns a context that allows statements more time.
func (database) AtLeisure(ctx context.Context) (context.Context, context.CancelFunc) {
	return atLeisure(ctx)
}

// alone runs f in a transaction that holds the lock of a study. All outcomes and plans are written
// under that lock.
func (s *Store) alone(ctx context.Context, id string, f func(pgx.Tx, sqlstore.Progress) error) error {
	k, err := s.Key(ctx, id)
	if err != nil {
		return err
	}
	return s.transact(ctx, func(tx pgx.Tx) error {
		p, err := dialect.Lock(ctx, querier{tx}, k)
		if err != nil {
			return err
		}
		return f(tx, p)
	})
}

// AcquireLease acquires the planning lease of a study until a time. It waits only briefly for other
// writers, because a long wait would use up the lease.
func (s *Store) AcquireLease(ctx context.Context, id, planner string, now, until time.Time) error {
	k, err := s.Key(ctx, id)
	if err != nil {
		return err
	}
	return sqlstore.Contended(s.transactWithin(ctx, leadTimeout, func(tx pgx.Tx) error {
		if _, err := dialect.Lock(ctx, querier{tx}, k); err != nil {
			return err
		}
		return sqlstore.AcquireLease(ctx, querier{tx}, k, planner, now, until)
	}))
}

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

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

// Timeouts of PostgreSQL. They free dead connections, as after the failure of a machine or network.
const (
	connectTimeout   = 10 * time.Second
	pingTimeout      = 5 * time.Second
	statementTimeout = 10 * time.Second
	recordTimeout    = 10 * time.Second // of one group commit
	leisure          = 10 * time.Minute // of large statements
)

// Lock timeouts. A waiting transaction holds one of few connections, so the wait is short, and is
// retried with backoff.
const (
	lockTimeout = 100 * time.Millisecond // of the first attempt
	lookTimeout = 5 * time.Millisecond   // of further attempts
	longPause   = 100 * time.Millisecond // the longest pause between attempts
	leadTimeout = 500 * time.Millisecond // of all attempts to acquire a planning lease
)

// limit sets the timeouts that the URL of the database does not set. Connections through PgBouncer ignore notifications,
// which they get if PgBouncer has lent their server connection to [Store.Listen] before.
func limit(config *pgxpool.Config) {
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	config.PingTimeout = pingTimeout
	if isPooled(config) {
		config.ConnConfig.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) {}
	}
	config.ConnConfig.Tracer = limiter{statementTimeout}
}

// isPooled reports whether the URL of the database is that of PgBouncer in transaction mode, which rules out prepared
// statements and notifications.
func isPooled(config *pgxpool.Config) bool {
	return config.ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement
}

// atLeisure returns a context for large statements.
func atLeisure(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, leisure)
}

// A limiter applies a timeout to every statement and batch whose context has no deadline.
type limiter struct{ most time.Duration }

var (
	_ pgx.QueryTracer = limiter{}
	_ pgx.BatchTracer = limiter{}
)

// cancelKey is the context key of the cancel function of a timeout.
type cancelKey struct{}

func (l limiter) begin(ctx context.Context) context.Context {
	if _, limited := ctx.Deadline(); limited {
		return context.WithValue(ctx, cancelKey{}, context.CancelFunc(func() {}))
	}
	ctx, cancel := context.WithTimeout(ctx, l.most)
	return context.WithValue(ctx, cancelKey{}, cancel)
}

func (l limiter) end(ctx context.Context) {
	if cancel, ok := ctx.Value(cancelKey{}).(context.CancelFunc); ok {
		cancel()
	}
}

// TraceQueryStart starts the timeout of a statement.
func (l limiter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return l.begin(ctx)
}

// TraceQueryEnd ends the timeout of a statement.
func (l limiter) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) { l.end(ctx) }

// TraceBatchStart starts the timeout of a batch.
func (l limiter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return l.begin(ctx)
}

// TraceBatchQuery does nothing.
func (l limiter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd ends the timeout of a batch.
func (l limiter) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) { l.end(ctx) }

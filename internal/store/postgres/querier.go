package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// statements has the common methods of a transaction and a pool.
type statements interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
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

// Batch runs statements in one batch. Outside of a transaction, PostgreSQL runs a batch in one.
func (q querier) Batch(ctx context.Context, all ...sqlstore.Statement) error {
	var batch pgx.Batch
	for _, s := range all {
		queued := batch.Queue(s.Query, s.Args...)
		if s.Read != nil {
			queued.Query(func(list pgx.Rows) error { return s.Read(rows{list}) })
		}
	}
	return classify(q.SendBatch(ctx, &batch).Close())
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
	return d.store.transact(ctx, durable, func(tx pgx.Tx) error { return f(querier{tx}) })
}

// TransactLazily runs f in a transaction whose commit does not wait for the disk.
func (d database) TransactLazily(ctx context.Context, f func(tx sqlstore.Querier) error) error {
	return d.store.transact(ctx, lazy, func(tx pgx.Tx) error { return f(querier{tx}) })
}

// AtLeisure returns a context that allows statements more time.
func (database) AtLeisure(ctx context.Context) (context.Context, context.CancelFunc) {
	return atLeisure(ctx)
}

// alone runs f in a transaction that holds the lock of a study. All outcomes and plans are written
// under that lock.
func (s *Store) alone(ctx context.Context, id string, f func(pgx.Tx, sqlstore.Progress) error) error {
	return s.transact(ctx, durable, func(tx pgx.Tx) error {
		p, err := dialect.Lock(ctx, querier{tx}, id)
		if err != nil {
			return err
		}
		return f(tx, p)
	})
}

// AcquireLease acquires the planning lease of a study until a time. It waits only briefly for other
// writers, because a long wait would use up the lease.
func (s *Store) AcquireLease(ctx context.Context, id, planner string, now, until time.Time) (w study.Work, err error) {
	err = s.transactWithin(ctx, leadTimeout, lazy, func(tx pgx.Tx) (err error) {
		w, err = dialect.AcquireLease(ctx, querier{tx}, id, planner, now, until)
		return err
	})
	return w, sqlstore.Contended(err)
}

// Timeouts of PostgreSQL. They free dead connections, as after the failure of a machine or network.
const (
	connectTimeout   = 10 * time.Second
	pingTimeout      = 2 * time.Second
	statementTimeout = 10 * time.Second
	acquireTimeout   = 5 * time.Second  // of waiting for a connection of the pool
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
	config.ConnConfig.Tracer = limiter{statementTimeout, acquireTimeout}
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

// A limiter applies a timeout to every statement and batch, and to waiting for a connection, if its context has no deadline.
type limiter struct{ most, wait time.Duration }

var (
	_ pgx.QueryTracer       = limiter{}
	_ pgx.BatchTracer       = limiter{}
	_ pgxpool.AcquireTracer = limiter{}
)

// cancelKey is the context key of the cancel function of a timeout.
type cancelKey struct{}

func (limiter) begin(ctx context.Context, most time.Duration) context.Context {
	if _, limited := ctx.Deadline(); limited {
		return context.WithValue(ctx, cancelKey{}, context.CancelFunc(func() {}))
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	return context.WithValue(ctx, cancelKey{}, cancel)
}

func (limiter) end(ctx context.Context) {
	if cancel, ok := ctx.Value(cancelKey{}).(context.CancelFunc); ok {
		cancel()
	}
}

// TraceQueryStart starts the timeout of a statement.
func (l limiter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return l.begin(ctx, l.most)
}

// TraceQueryEnd ends the timeout of a statement.
func (l limiter) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) { l.end(ctx) }

// TraceBatchStart starts the timeout of a batch.
func (l limiter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return l.begin(ctx, l.most)
}

// TraceBatchQuery does nothing.
func (l limiter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd ends the timeout of a batch.
func (l limiter) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) { l.end(ctx) }

// TraceAcquireStart starts the timeout of waiting for a connection.
func (l limiter) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	return l.begin(ctx, l.wait)
}

// TraceAcquireEnd ends it.
func (l limiter) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireEndData) {
	l.end(ctx)
}

// dialect is the SQL of PostgreSQL.
var dialect = sqlstore.Dialect{ //nolint:gochecknoglobals // a constant
	ForUpdate:      `FOR UPDATE`,
	ForNoKeyUpdate: `FOR NO KEY UPDATE`,
	ForKeyShare:    `FOR KEY SHARE`,
	SkipLocked:     ` FOR UPDATE OF progress SKIP LOCKED`,
	LockTable:      `LOCK TABLE`,
	LockMode:       `IN SHARE ROW EXCLUSIVE MODE`,
	Open:           `NOT stands`,
	Names:          `SELECT json_array_elements_text($2::json)`,
	Claims: `
		INSERT INTO questions (study, position, claimed) SELECT $1, position, $4
			FROM generate_series($2::bigint, $3::bigint - 1) AS position
		ON CONFLICT (study, position) DO UPDATE SET claimed = excluded.claimed`,
	// The limit keeps PostgreSQL from reading a whole import to find a few rows.
	Log: `
		SELECT ` + sqlstore.OutcomeColumns + ` FROM outcomes WHERE study = ` + sqlstore.KeyOf + ` AND number > $2 AND number <= $3
		UNION ALL
		SELECT after + place, -1, kind, shown, picks, respondent, segment, 0, asked, at, note
		FROM imports, LATERAL (
			SELECT place, kind, shown, picks, respondent, segment, asked, at, note FROM imported WHERE import = key
				AND place > $2 - after AND place <= $3 - after ORDER BY place LIMIT $3 - $2
		) AS staged
		WHERE study = ` + sqlstore.KeyOf + ` AND after < $3 AND after + rows > $2
		ORDER BY number`,
	Arrival: `
		SELECT ` + sqlstore.OutcomeColumns + ` FROM outcomes
		WHERE study = $1 AND hashtextextended(respondent, 0) = hashtextextended($2, 0) AND respondent = $2 AND kind = 'arrived'
		LIMIT 1`,
	Arrive: `
		INSERT INTO outcomes (study, respondent, number, position, kind, shown, picks, segment, plan, asked, at, note)
		VALUES ($1, $2, $3, -1, 'arrived', $4::json, 'null', $5, $7, $6, $6, '')`,
	History: `
		WITH theirs AS (
			SELECT number, kind, shown FROM outcomes
			WHERE study = $1 AND hashtextextended(respondent, 0) = hashtextextended($2, 0) AND respondent = $2
			AND kind IN ('answered', 'skipped', 'undone')
		)
		SELECT
			(SELECT count(*) FROM theirs WHERE kind <> 'undone'
				AND NOT EXISTS (SELECT 1 FROM outcomes WHERE study = $1 AND undoes = theirs.number)),
			(SELECT shown FROM theirs ORDER BY number DESC LIMIT 1)`,
	PutMembers: putMembers,
}

// standingQuestions counts the questions in which respondents $2 of studies $1 have the standing
// outcome.
const standingQuestions = `
	SELECT study, respondent, (
		SELECT count(*) FROM outcomes
		WHERE study = asked.study AND hashtextextended(respondent, 0) = hashtextextended(asked.respondent, 0)
		AND respondent = asked.respondent AND kind IN ('answered', 'skipped')
		AND NOT EXISTS (SELECT 1 FROM outcomes AS later WHERE later.study = asked.study AND later.undoes = outcomes.number)
	)
	FROM unnest($1::bigint[], $2::text[]) AS asked (study, respondent)`

// putMembers adds or replaces members.
func putMembers(ctx context.Context, tx sqlstore.Querier, k int64, members []study.Member, numbered bool) error {
	var numbers []int64
	var names, segments, keys, hashes []string
	var added []time.Time
	for _, m := range members {
		numbers, added = append(numbers, m.Number), append(added, m.Added)
		names, segments = append(names, m.Name), append(segments, m.Segment)
		keys, hashes = append(keys, m.Key), append(hashes, study.HashKey(m.Key))
	}
	number := `(SELECT coalesce(max(number), 0) FROM members WHERE study = $1) + place`
	if numbered {
		number = `number`
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO members (study, number, name, segment, key, hash, added)
		SELECT $1, `+number+`, name, segment, key, hash, added
		FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
			WITH ORDINALITY AS new (number, name, segment, key, hash, added, place)
		ON CONFLICT (study, name) DO UPDATE SET segment = excluded.segment, key = excluded.key, hash = excluded.hash,
			added = excluded.added`,
		k, numbers, names, segments, keys, hashes, added)
	return err
}

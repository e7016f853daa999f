package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// statements has the common methods of a transaction and the readers.
type statements interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// A querier stores times as microseconds and classifies errors.
type querier struct{ statements }

var _ sqlstore.Querier = querier{}

// Exec runs a statement and returns the number of affected rows.
func (q querier) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	result, err := q.ExecContext(ctx, query, moments(args)...)
	if err != nil {
		return 0, classify(err)
	}
	return result.RowsAffected()
}

// Query selects rows.
func (q querier) Query(ctx context.Context, query string, args ...any) (sqlstore.Rows, error) {
	list, err := q.QueryContext(ctx, query, moments(args)...) //nolint:rowserrcheck // the caller checks it
	if err != nil {
		return nil, classify(err)
	}
	return rows{list}, nil
}

// QueryRow selects one row.
func (q querier) QueryRow(ctx context.Context, query string, args ...any) sqlstore.Row {
	return row{q.QueryRowContext(ctx, query, moments(args)...)}
}

// A database is the interface of the store for the shared queries.
type database struct {
	querier // the readers

	store *Store
}

// Transact runs f in a transaction.
func (d database) Transact(ctx context.Context, f func(tx sqlstore.Querier) error) error {
	return d.store.transact(ctx, func(tx *transaction) error { return f(querier{tx}) })
}

// TransactLazily runs f in a transaction.
func (d database) TransactLazily(ctx context.Context, f func(tx sqlstore.Querier) error) error {
	return d.Transact(ctx, f)
}

// AtLeisure returns the context: statements have no time limit.
func (database) AtLeisure(ctx context.Context) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}

// Batch runs statements one after the other.
func (q querier) Batch(ctx context.Context, all ...sqlstore.Statement) error {
	for _, s := range all {
		if s.Read == nil {
			if _, err := q.Exec(ctx, s.Query, s.Args...); err != nil {
				return err
			}
			continue
		}
		list, err := q.Query(ctx, s.Query, s.Args...)
		if err == nil {
			err = s.Read(list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type row struct{ *sql.Row }

func (r row) Scan(into ...any) error { return classify(r.Row.Scan(scanMoments(into)...)) }

type rows struct{ *sql.Rows }

func (r rows) Scan(into ...any) error { return classify(r.Rows.Scan(scanMoments(into)...)) }

func (r rows) Err() error { return classify(r.Rows.Err()) }

func (r rows) Close() { _ = r.Rows.Close() } // Err returns the error

// moments replaces times by microseconds.
func moments(args []any) []any {
	for i, arg := range args {
		if t, is := arg.(time.Time); is {
			args[i] = moment(t)
		}
	}
	return args
}

// scanMoments replaces pointers to times by scanners of microseconds.
func scanMoments(into []any) []any {
	for i, target := range into {
		if t, is := target.(*time.Time); is {
			into[i] = (*momentScanner)(t)
		}
	}
	return into
}

type momentScanner time.Time

// Scan implements sql.Scanner.
func (m *momentScanner) Scan(value any) error {
	micros, is := value.(int64)
	if !is {
		return fmt.Errorf("a time must be stored as an integer, got %T", value)
	}
	*m = momentScanner(fromMoment(micros))
	return nil
}

// moment returns a time as stored.
func moment(t time.Time) int64 { return t.UnixMicro() }

func fromMoment(m int64) time.Time {
	t := time.UnixMicro(m).UTC()
	if t.IsZero() {
		return time.Time{}
	}
	return t
}

// classify wraps a temporary error in study.ErrUnavailable: the disk is full or fails, or another process holds the
// lock of the file. It returns other errors unchanged.
func classify(err error) error {
	failure, ok := errors.AsType[*driver.Error](err)
	if !ok || errors.Is(err, study.ErrUnavailable) {
		return err
	}
	switch failure.Code() & 0xff {
	case codes.SQLITE_FULL, codes.SQLITE_IOERR, codes.SQLITE_BUSY, codes.SQLITE_CANTOPEN, codes.SQLITE_READONLY:
		return fmt.Errorf("%w (%w)", study.ErrUnavailable, err)
	}
	return err
}

// A pool prepares each query once per connection: parsing most queries takes longer than running them. Safe for concurrent use.
type pool struct {
	*sql.DB

	mutex    sync.RWMutex
	prepared map[string]*sql.Stmt // by query; the number of queries is fixed
}

// QueryContext selects rows.
func (p *pool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := p.prepare(ctx, query) //nolint:sqlclosecheck // it is closed with the pool
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
}

// QueryRowContext selects one row.
func (p *pool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	statement, err := p.prepare(ctx, query) //nolint:sqlclosecheck // it is closed with the pool
	if err != nil {
		return p.DB.QueryRowContext(ctx, query, args...) // the caller gets the error from Scan
	}
	return statement.QueryRowContext(ctx, args...)
}

// statement returns the statement of a query, nil if it is not prepared.
func (p *pool) statement(query string) *sql.Stmt {
	p.mutex.RLock()
	defer p.mutex.RUnlock()
	return p.prepared[query]
}

// prepare returns the statement of a query. It waits for a connection without the lock, which transactions need.
func (p *pool) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if statement := p.statement(query); statement != nil {
		return statement, nil
	}
	statement, err := p.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if other := p.prepared[query]; other != nil {
		return other, statement.Close() //nolint:sqlclosecheck // the other one is used
	}
	if p.prepared == nil {
		p.prepared = map[string]*sql.Stmt{}
	}
	p.prepared[query] = statement
	return statement, nil
}

// Close closes the statements and connections.
func (p *pool) Close() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var errs []error
	for _, statement := range p.prepared {
		errs = append(errs, statement.Close())
	}
	p.prepared = nil
	return errors.Join(append(errs, p.DB.Close())...)
}

// A transaction uses the statements that its pool has prepared. It holds the only connection, so it prepares others for itself,
// and the pool does so after it.
type transaction struct {
	*sql.Tx

	pool       *pool
	statements map[string]*sql.Stmt // by query
}

// ExecContext runs a statement.
func (t *transaction) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	statement, err := t.prepare(ctx, query) //nolint:sqlclosecheck // the transaction closes it
	if err != nil {
		return nil, err
	}
	return statement.ExecContext(ctx, args...)
}

// QueryContext selects rows.
func (t *transaction) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := t.prepare(ctx, query) //nolint:sqlclosecheck // the transaction closes it
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
}

// QueryRowContext selects one row.
func (t *transaction) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	statement, err := t.prepare(ctx, query) //nolint:sqlclosecheck // the transaction closes it
	if err != nil {
		return t.Tx.QueryRowContext(ctx, query, args...) // the caller gets the error from Scan
	}
	return statement.QueryRowContext(ctx, args...)
}

func (t *transaction) prepare(ctx context.Context, query string) (statement *sql.Stmt, err error) {
	if statement = t.statements[query]; statement != nil {
		return statement, nil
	}
	if shared := t.pool.statement(query); shared != nil {
		statement = t.StmtContext(ctx, shared)
	} else if statement, err = t.PrepareContext(ctx, query); err != nil {
		return nil, err
	}
	t.statements[query] = statement
	return statement, nil
}

// dialect is the SQL of SQLite. It has no lock clauses: a transaction that writes locks the whole
// file.
var dialect = sqlstore.Dialect{ //nolint:gochecknoglobals // a constant
	Open:  `stands = 0`,
	Names: `SELECT value FROM json_each($2)`,
	Claims: `
		WITH RECURSIVE claims (position) AS (SELECT $2 WHERE $2 < $3 UNION ALL SELECT position + 1 FROM claims WHERE position + 1 < $3)
		INSERT INTO questions (study, position, claimed) SELECT $1, position, $4 FROM claims WHERE true
		ON CONFLICT (study, position) DO UPDATE SET claimed = excluded.claimed`,
	Log: `
		SELECT ` + sqlstore.OutcomeColumns + ` FROM outcomes WHERE study = ` + sqlstore.KeyOf + ` AND number > $2 AND number <= $3
		UNION ALL
		SELECT after + place, -1, kind, shown, picks, respondent, segment, 0, asked, at, note
		FROM imports CROSS JOIN imported ON import = key
		WHERE study = ` + sqlstore.KeyOf + ` AND after < $3 AND after + rows > $2 AND place > $2 - after AND place <= $3 - after
		ORDER BY number`,
	Arrival: `
		SELECT ` + sqlstore.OutcomeColumns + ` FROM outcomes WHERE study = $1 AND number = coalesce(
			(SELECT number ` + firstOutcome + ` AND kind = 'arrived'),
			(SELECT number FROM outcomes INDEXED BY outcomes_later
				WHERE study = $1 AND began = (SELECT number ` + firstOutcome + `) AND began < number AND kind = 'arrived'))`,
	Arrive: `
		INSERT INTO outcomes (study, respondent, number, position, kind, shown, picks, segment, plan, asked, at, note, began)
		VALUES ($1, $2, $3, -1, 'arrived', $4, 'null', $5, $7, $6, $6, '', coalesce((SELECT number ` + firstOutcome + `), $3))`,
	History:    theirs + `SELECT (` + standingQuestions + `), (SELECT shown FROM theirs WHERE kind <> 'arrived' ORDER BY number DESC LIMIT 1)`,
	PutMembers: putMembers,
}

// firstOutcome finds the first outcome of the respondent $2 in the study $1. Later ones have its
// number, which finds them. INDEXED BY keeps SQLite, which has no statistics of these indexes, from
// reading the whole log.
const firstOutcome = `FROM outcomes INDEXED BY outcomes_first WHERE study = $1 AND respondent = $2 AND began = number`

// theirs selects the outcomes of the respondent $2 in the study $1, and standingQuestions counts
// the questions of which one of these is the standing outcome.
const (
	theirs = `
		WITH first AS (SELECT number, kind, shown ` + firstOutcome + `),
		theirs AS (
			SELECT number, kind, shown FROM first UNION ALL
			SELECT number, kind, shown FROM outcomes INDEXED BY outcomes_later
			WHERE study = $1 AND began = (SELECT number FROM first) AND began < number
		)`
	standingQuestions = `
		SELECT count(*) FROM theirs WHERE kind IN ('answered', 'skipped')
		AND NOT EXISTS (SELECT 1 FROM outcomes INDEXED BY outcomes_undoes WHERE study = $1 AND undoes = theirs.number)`
)

// putMembers adds or replaces members.
func putMembers(ctx context.Context, tx sqlstore.Querier, k int64, members []study.Member, numbered bool) error {
	number := `(SELECT coalesce(max(number), 0) + 1 FROM members WHERE study = $1)`
	if numbered {
		number = `$2`
	}
	insert := `INSERT INTO members (study, number, name, segment, key, hash, added) VALUES ($1, ` + number + `, $3, $4, $5, $6, $7)
		ON CONFLICT (study, name) DO UPDATE SET segment = $4, key = $5, hash = $6, added = $7`
	for _, m := range members {
		if _, err := tx.Exec(ctx, insert, k, m.Number, m.Name, m.Segment, m.Key, study.HashKey(m.Key), m.Added); err != nil {
			return err
		}
	}
	return nil
}

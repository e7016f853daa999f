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
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
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
	return d.store.transact(ctx, func(tx *sql.Tx) error { return f(querier{tx}) })
}

// AtLeisure returns the context: statements have no time limit.
func (database) AtLeisure(ctx context.Context) (context.Context, context.CancelFunc) {
	return ctx, func() {}
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

// readers is a pool that prepares each query once per connection: parsing most queries takes longer
// than running them. Safe for concurrent use.
type readers struct {
	*sql.DB

	mutex    sync.RWMutex
	prepared map[string]*sql.Stmt // by query; the number of queries is fixed
}

// QueryContext selects rows.
func (r *readers) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := r.statement(ctx, query) //nolint:sqlclosecheck // it is closed with the readers
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
}

// QueryRowContext selects one row.
func (r *readers) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	statement, err := r.statement(ctx, query) //nolint:sqlclosecheck // it is closed with the readers
	if err != nil {
		return r.DB.QueryRowContext(ctx, query, args...) // the caller gets the error from Scan
	}
	return statement.QueryRowContext(ctx, args...)
}

func (r *readers) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mutex.RLock()
	statement := r.prepared[query]
	r.mutex.RUnlock()
	if statement != nil {
		return statement, nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if statement = r.prepared[query]; statement != nil {
		return statement, nil
	}
	statement, err := r.PrepareContext(ctx, query) //nolint:sqlclosecheck // it is closed with the readers
	if err != nil {
		return nil, err
	}
	if r.prepared == nil {
		r.prepared = map[string]*sql.Stmt{}
	}
	r.prepared[query] = statement
	return statement, nil
}

// Close closes the statements and connections.
func (r *readers) Close() error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var errs []error
	for _, statement := range r.prepared {
		errs = append(errs, statement.Close())
	}
	r.prepared = nil
	return errors.Join(append(errs, r.DB.Close())...)
}

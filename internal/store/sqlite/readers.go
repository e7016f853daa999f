package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

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

// Package store opens the database of a service by its address, and inspects it.
package store

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"bestpick/internal/store/postgres"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/store/sqlstore"
)

// A Store stores studies, tokens, the audit log, webhooks and background jobs.
type Store = sqlstore.Contract

// A Report describes the contents of a database.
type Report = sqlstore.Report

// ErrForeign reports a database of another program.
var ErrForeign = sqlstore.ErrForeign

// Open opens the PostgreSQL database at an address, or an SQLite file, which it creates if needed.
func Open(ctx context.Context, database string) (Store, error) {
	if IsPostgres(database) {
		return postgres.Open(ctx, database)
	}
	if strings.Contains(database, "://") {
		return nil, fmt.Errorf("the database must be a file or an address such as postgres://USER@HOST/NAME, got %q", database)
	}
	return sqlite.Open(database) //nolint:contextcheck // opening a file does not block
}

// Inspect reports on the contents of a database, and checks the integrity of a file. It changes nothing, and other
// processes may use the database meanwhile.
func Inspect(ctx context.Context, database string) (Report, error) {
	if IsPostgres(database) {
		return postgres.Inspect(ctx, database)
	}
	return sqlite.Inspect(ctx, database)
}

// TryWrite returns an error if a database is not writable. It changes nothing.
func TryWrite(ctx context.Context, database string) error {
	if IsPostgres(database) {
		return postgres.TryWrite(ctx, database)
	}
	return sqlite.TryWrite(ctx, database)
}

// IsPostgres reports whether a database is the address of a PostgreSQL database and not a file.
func IsPostgres(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://")
}

// WithConnections returns the address of a PostgreSQL database with a maximum number of connections.
func WithConnections(database string, connections int) (string, error) {
	address, err := url.Parse(database)
	if err != nil {
		return "", err
	}
	parameters := address.Query()
	parameters.Set("pool_max_conns", strconv.Itoa(connections))
	address.RawQuery = parameters.Encode()
	return address.String(), nil
}

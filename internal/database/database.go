// Package database opens the database of a service, whichever it is.
package database

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"bestpick/internal/store/postgres"
	"bestpick/internal/store/sqlite"
	"bestpick/store"
)

// A Store is a store of a service.
type Store = store.Store

// Open opens the PostgreSQL database at an address, or an SQLite file, which it creates if needed. It migrates older
// versions.
func Open(ctx context.Context, database string) (Store, error) {
	if IsPostgres(database) {
		return postgres.Open(ctx, database)
	}
	return sqlite.Open(database) //nolint:contextcheck // opening a file does not block
}

// IsPostgres reports whether a database is the address of a PostgreSQL database and not a file.
func IsPostgres(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://")
}

// WithConnections returns the address of a PostgreSQL database with a maximum number of connections.
func WithConnections(database string, most int) (string, error) {
	address, err := url.Parse(database)
	if err != nil {
		return "", err
	}
	parameters := address.Query()
	parameters.Set("pool_max_conns", strconv.Itoa(most))
	address.RawQuery = parameters.Encode()
	return address.String(), nil
}

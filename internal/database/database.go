// Package database opens the database of a service, whichever it is.
package database

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/jobs"
	"bestpick/internal/store/postgres"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

// A Store stores studies, tokens, the audit log, webhooks and background jobs. Safe for concurrent use.
type Store interface {
	study.Store
	access.Tokens
	access.Audit
	webhook.Store
	jobs.Queue
}

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

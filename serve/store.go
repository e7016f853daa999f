package serve

import (
	"context"

	"bestpick/internal/store/postgres"
	"bestpick/internal/store/sqlite"
	"bestpick/store"
)

// A Store stores studies, tokens, the audit log, webhooks and background jobs. Its method Close waits
// for pending writes. Safe for concurrent use.
//
// [OpenSQLite] and [OpenPostgres] open the built-in stores. A program can wrap one of them by
// embedding it, or implement the interface with the types of package store.
type Store = store.Store

// OpenSQLite opens an SQLite file, for one process, and creates it if needed. It migrates older
// versions.
func OpenSQLite(file string) (Store, error) { return sqlite.Open(file) }

// OpenPostgres opens the PostgreSQL database at an address such as postgres://user@host/name, for any
// number of processes. It migrates older versions.
func OpenPostgres(ctx context.Context, address string) (Store, error) {
	return postgres.Open(ctx, address)
}

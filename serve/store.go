package serve

import (
	"context"

	"bestpick/internal/database"
	"bestpick/internal/store/postgres"
	"bestpick/internal/store/sqlite"
)

// A Store keeps studies, tokens, the audit log, webhooks and background jobs. Its method Close waits
// for pending writes. Safe for concurrent use.
//
// [OpenSQLite] and [OpenPostgres] return the stores that exist. A program can wrap one of them by
// embedding it.
type Store = database.Store

// OpenSQLite opens an SQLite file, for one process, and creates it if needed. It migrates older
// versions.
func OpenSQLite(file string) (Store, error) { return sqlite.Open(file) }

// OpenPostgres opens the PostgreSQL database at an address such as postgres://user@host/name, for any
// number of processes. It migrates older versions.
func OpenPostgres(ctx context.Context, address string) (Store, error) {
	return postgres.Open(ctx, address)
}

package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"

	"github.com/pressly/goose/v3"
	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"bestpick/internal/store/sqlstore"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrator returns a provider of the migrations.
func migrator(db *sql.DB) (*goose.Provider, error) {
	return sqlstore.Migrator(goose.DialectSQLite3, db, migrations)
}

// migrate upgrades a database to the version of this program. Two processes may do so concurrently:
// a migration and its version are written in one transaction, and a unique index lets the second
// process fail. It finds nothing left to do when it retries.
func migrate(ctx context.Context, db *sql.DB) error {
	if _, err := ours(ctx, db); errors.Is(err, sqlstore.ErrOld) {
		return err
	}
	m, err := migrator(db)
	if err != nil {
		return err
	}
	if _, err := m.GetDBVersion(ctx); err != nil { // creates the table of versions
		return err
	}
	const once = `CREATE UNIQUE INDEX IF NOT EXISTS one_row_per_version ON ` + sqlstore.VersionTable + ` (version_id)`
	if _, err := db.ExecContext(ctx, once); err != nil {
		return err
	}
	for range len(m.ListSources()) + 1 { // another process may be first with each migration
		if _, err = m.Up(ctx); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	return sqlstore.CheckVersion(ctx, m)
}

func busy(err error) bool {
	failure, ok := errors.AsType[*driver.Error](err)
	return ok && failure.Code()&0xff == codes.SQLITE_BUSY
}

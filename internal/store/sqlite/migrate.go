package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrator returns a provider of the migrations.
func migrator(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, db, files)
}

// migrate upgrades a database to the version of this program. Two processes may do so concurrently:
// a migration and its version are written in one transaction, and a unique index lets the second
// process fail. It finds nothing left to do when it retries.
func migrate(ctx context.Context, db *sql.DB) error {
	m, err := migrator(db)
	if err != nil {
		return err
	}
	if _, err := m.GetDBVersion(ctx); err != nil { // creates the table of versions
		return err
	}
	const once = `CREATE UNIQUE INDEX IF NOT EXISTS goose_db_version_once ON goose_db_version (version_id)`
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
	current, target, err := m.GetVersions(ctx)
	if err == nil && current > target {
		return fmt.Errorf("the database has version %d, but this program supports only up to %d", current, target)
	}
	return err
}

func busy(err error) bool {
	failure, ok := errors.AsType[*driver.Error](err)
	return ok && failure.Code()&0xff == codes.SQLITE_BUSY
}

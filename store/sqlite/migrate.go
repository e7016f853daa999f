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

// migrator brings a database to this program's version, or to an earlier one in tests.
func migrator(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, db, files)
}

// migrate brings a database to this program's version. Two processes may do so at once: a version
// is written with the migration, in one transaction, and only once. Whoever comes second fails
// there, and finds nothing left to do when he tries again.
func migrate(ctx context.Context, db *sql.DB) error {
	m, err := migrator(db)
	if err != nil {
		return err
	}
	if _, err := m.GetDBVersion(ctx); err != nil { // makes the table of versions
		return err
	}
	const once = `CREATE UNIQUE INDEX IF NOT EXISTS goose_db_version_once ON goose_db_version (version_id)`
	if _, err := db.ExecContext(ctx, once); err != nil {
		return err
	}
	for range len(m.ListSources()) + 1 { // somebody else may be first with every one of them
		if _, err = m.Up(ctx); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	current, target, err := m.GetVersions(ctx)
	if err == nil && current > target {
		return fmt.Errorf("version %d is newer than this program, which knows %d", current, target)
	}
	return err
}

func busy(err error) bool {
	failure, ok := errors.AsType[*driver.Error](err)
	return ok && failure.Code()&0xff == codes.SQLITE_BUSY
}

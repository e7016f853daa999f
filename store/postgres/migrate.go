package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrator brings a database to this program's version, or to an earlier one in tests.
func migrator(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(turn{}))
}

// migrate brings a database to this program's version.
func migrate(ctx context.Context, config *pgx.ConnConfig) (err error) {
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := migrator(db)
	if err != nil {
		return err
	}
	if _, err := m.Up(ctx); err != nil {
		return err
	}
	current, target, err := m.GetVersions(ctx)
	if err == nil && current > target {
		return fmt.Errorf("version %d is newer than this program, which knows %d", current, target)
	}
	return err
}

// turn lets one process migrate at a time. Others wait without asking again and again.
type turn struct{}

// turnKey is the number of the lock. It means nothing.
const turnKey = 0x62657374_7069636b

func (turn) SessionLock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, turnKey)
	return err
}

func (turn) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, turnKey)
	return err
}

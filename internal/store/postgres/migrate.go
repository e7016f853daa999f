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

// migrator returns a provider of the migrations.
func migrator(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(turn{}))
}

// migrate upgrades a database to the version of this program.
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
		return fmt.Errorf("the database has version %d, but this program supports only up to %d", current, target)
	}
	return err
}

// turn is an advisory lock: one process migrates at a time, and others wait.
type turn struct{}

// turnKey is the arbitrary number of the lock.
const turnKey = 0x62657374_7069636b

func (turn) SessionLock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, turnKey)
	return err
}

func (turn) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, turnKey)
	return err
}

package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"bestpick/internal/store/sqlstore"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrator returns a provider of the migrations.
func migrator(db *sql.DB) (*goose.Provider, error) {
	return sqlstore.Migrator(goose.DialectPostgres, db, migrations, goose.WithSessionLocker(turn{}))
}

// migrate upgrades a database to the version of this program.
func migrate(ctx context.Context, config *pgx.ConnConfig) (err error) {
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	var old bool
	if err := db.QueryRowContext(ctx, isOld).Scan(&old); err != nil {
		return err
	}
	if old {
		return sqlstore.ErrOld
	}
	m, err := migrator(db)
	if err != nil {
		return err
	}
	if _, err := m.Up(ctx); err != nil {
		return err
	}
	return sqlstore.CheckVersion(ctx, m)
}

// isOld reports whether the database has the tables of version 0.2.0 or earlier.
const isOld = `SELECT to_regclass('goose_db_version') IS NOT NULL AND to_regclass('progress') IS NOT NULL`

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

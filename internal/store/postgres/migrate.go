package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

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

// migrate upgrades a database to the version of this program, while processes of the previous release
// may use it.
func migrate(ctx context.Context, config *pgx.ConnConfig) (err error) {
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := migrator(db)
	if err != nil {
		return err
	}
	if err := up(ctx, m); err != nil {
		return err
	}
	current, target, err := m.GetVersions(ctx)
	if err == nil && current > target {
		return fmt.Errorf("the database has version %d, but this program supports only up to %d", current, target)
	}
	return err
}

// up applies the pending migrations. A statement that waits for a table blocks all later users of the
// table, so the wait is short, and the migration is retried.
func up(ctx context.Context, m *goose.Provider) error {
	for began := time.Now(); ; {
		_, err := m.Up(ctx)
		if !inTheWay(err) || time.Since(began) > leisure {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(migrationPause):
		}
	}
}

// turn is an advisory lock: one process migrates at a time, and others wait. It also limits how long
// the statements of a migration wait for other locks.
type turn struct{}

// turnKey is the arbitrary number of the lock.
const turnKey = 0x62657374_7069636b

func (turn) SessionLock(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, turnKey); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, fmt.Sprintf(`SET lock_timeout = %d`, migrationWait.Milliseconds()))
	return err
}

func (turn) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `RESET lock_timeout`)
	_, unlocking := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, turnKey)
	return errors.Join(err, unlocking)
}

// Package postgres stores studies in a PostgreSQL database, which many processes may share.
//
// Outcomes that arrive during a write go into the next transaction (group commit), and are
// acknowledged when it is committed.
package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"bestpick/internal/jobs"
	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// Store is a [study.Store] in a database, with access tokens, the audit log, webhooks and background
// jobs. Safe for concurrent use.
type Store struct {
	*sqlstore.Store

	pool     *pgxpool.Pool
	outcomes *sqlstore.Writer
	copying  chan struct{} // held while a chunk of an import is copied
}

var _ sqlstore.Contract = (*Store)(nil)

// Open opens the store in a database and upgrades it to this program's version.
func Open(ctx context.Context, url string) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, config.ConnConfig); err != nil {
		return nil, err
	}
	limit(config) // after the migration, which may take longer
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := newStore(pool)
	if err := errors.Join(jobs.MigrateRiver(ctx, pool, jobSchema), s.sweep(ctx)); err != nil {
		pool.Close()
		return nil, err
	}
	s.outcomes = sqlstore.NewWriter(s.write)
	return s, nil
}

func newStore(pool *pgxpool.Pool) *Store {
	s := &Store{pool: pool, copying: make(chan struct{}, 1)}
	s.Store = sqlstore.New(database{querier{pool}, s}, &dialect)
	return s
}

// Close waits for pending writes and closes the connections.
func (s *Store) Close() error {
	s.outcomes.Close()
	s.WaitForDeals()
	s.pool.Close()
	return nil
}

// transact runs f in a transaction: it is atomic. It retries f after a conflict with other
// transactions, and returns ErrBusy if conflicts persist for as long as a statement may take, or
// almost until the deadline of the context.
func (s *Store) transact(ctx context.Context, as durability, f func(pgx.Tx) error) error {
	patience := statementTimeout
	if deadline, limited := ctx.Deadline(); limited {
		patience = time.Until(deadline) - 3*lockTimeout
	}
	return s.transactWithin(ctx, patience, as, f)
}

// transactWithin is transact with a limit on the time for retries. Only the first attempt waits for
// locks, and no connection is held between two attempts, so that waiting transactions leave the
// pool to others.
func (s *Store) transactWithin(ctx context.Context, patience time.Duration, as durability, f func(pgx.Tx) error) error {
	began := time.Now()
	err := s.attempt(ctx, lockTimeout, as, f)
	for pause := time.Millisecond; inTheWay(err); pause = min(2*pause, longPause) {
		if time.Since(began)+pause >= patience {
			return fmt.Errorf("%w (%w)", study.ErrBusy, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
		err = s.attempt(ctx, lookTimeout, as, f)
	}
	return classify(err)
}

// A durability is a statement that says whether the commit of a transaction waits for the disk.
type durability string

const (
	durable durability = ""
	lazy    durability = "; SET LOCAL synchronous_commit = off"
)

// attempt calls f once, in a transaction with the given lock timeout. The timeout is set in the
// statement that begins the transaction, so that it costs no round trip and does not persist on the
// connection.
func (s *Store) attempt(ctx context.Context, wait time.Duration, as durability, f func(pgx.Tx) error) error {
	begin := fmt.Sprintf("BEGIN; SET LOCAL lock_timeout = %d%s", wait.Milliseconds(), as)
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{BeginQuery: begin}, f)
}

// inTheWay reports whether a transaction failed because of others: by a lock timeout, a deadlock or
// a serialization failure.
func inTheWay(err error) bool {
	const serializationFailure, deadlock, lockTimedOut = "40001", "40P01", "55P03"
	failure, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (failure.Code == serializationFailure || failure.Code == deadlock || failure.Code == lockTimedOut)
}

// classify wraps a temporary error in study.ErrUnavailable. It returns other errors unchanged, also that of a call
// whose context was cancelled, which pgx reports as a timeout.
func classify(err error) error {
	if err == nil || errors.Is(err, study.ErrUnavailable) || errors.Is(err, context.Canceled) || !temporary(err) {
		return err
	}
	return fmt.Errorf("%w (%w)", study.ErrUnavailable, err)
}

// temporary reports whether an error may pass: the database is stopped or starting, the connection was lost, or disk
// space, memory or connections are exhausted.
func temporary(err error) bool {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return isPassing(failure.Code)
	}
	_, unconnected := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return unconnected || network || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || pgconn.SafeToRetry(err)
}

// isPassing reports whether an error code of PostgreSQL is temporary.
func isPassing(code string) bool {
	const readOnly = "25006" // another server is the primary now
	for _, class := range []string{
		"08",   // connections
		"53",   // resources
		"57P0", // stopped, crashed or starting
		"58",   // operating system
		readOnly,
	} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

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

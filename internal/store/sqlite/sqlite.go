// Package sqlite stores studies in one SQLite file.
//
// There is one writer, and many readers that never wait for it. Outcomes that arrive during a write
// go into the next transaction (group commit), and are acknowledged when it is on disk. Several
// processes on one machine may open the same file.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// Store is a [study.Store] in a file, with access tokens, the audit log, webhooks and background
// jobs. Safe for concurrent use.
type Store struct {
	*sqlstore.Store

	path     string
	writer   *pool // of one connection; its transactions lock the file when they begin
	readers  *pool
	outcomes *sqlstore.Writer
	jobs     chan struct{} // receives when a job was added
	close    func() error
}

var _ sqlstore.Contract = (*Store)(nil)

// Open opens the store in a file. It creates a missing file, readable by its owner only.
func Open(path string) (*Store, error) {
	s, err := open(context.Background(), path)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // without the path
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string) (*Store, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	s := &Store{path: path, jobs: make(chan struct{}, 1)}
	s.close = sync.OnceValue(s.closeAll)
	writing, err := connect(path, "_txlock=immediate&_pragma=secure_delete(1)") // deleted data is overwritten
	if err != nil {
		return nil, err
	}
	writing.SetMaxOpenConns(1)
	s.writer = &pool{DB: writing}
	reading, err := connect(path, "_pragma=query_only(1)")
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	reading.SetMaxOpenConns(8)
	reading.SetMaxIdleConns(8)
	s.readers = &pool{DB: reading}
	s.Store = sqlstore.New(database{querier{s.readers}, s}, &dialect)
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// connect opens a pool on the file with a busy timeout of 10 seconds.
func connect(path, more string) (*sql.DB, error) {
	return sql.Open("sqlite", address(path)+
		"?_pragma=busy_timeout(10000)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&"+more)
}

// address returns the URI of a file.
func address(path string) string {
	file := url.URL{Path: filepath.ToSlash(path)}
	return "file:" + file.EscapedPath()
}

// prepare upgrades the file and starts the writer.
func (s *Store) prepare(ctx context.Context) error {
	if err := useLog(ctx, s.writer.DB); err != nil {
		return err
	}
	if err := migrate(ctx, s.writer.DB); err != nil {
		return err
	}
	if err := s.sweep(ctx); err != nil {
		return err
	}
	s.outcomes = sqlstore.NewWriter(s.write)
	return nil
}

// useLog switches the file to a write-ahead log, permanently. SQLite does not wait for other
// processes that do the same concurrently.
func useLog(ctx context.Context, db *sql.DB) error {
	const attempts = 100
	var err error
	for range attempts {
		if _, err = db.ExecContext(ctx, `PRAGMA journal_mode = WAL`); !busy(err) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// Close waits for pending writes and closes the file.
func (s *Store) Close() error { return s.close() }

func (s *Store) closeAll() error {
	if s.outcomes != nil {
		s.outcomes.Close()
		s.WaitForDeals()
	}
	var err error
	if s.readers != nil {
		err = s.readers.Close()
	}
	return errors.Join(err, s.writer.Close()) // the last connection to close removes the log
}

// transact runs f in a transaction: it is atomic.
func (s *Store) transact(ctx context.Context, f func(*transaction) error) (err error) {
	begun, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return classify(err)
	}
	tx := &transaction{Tx: begun, pool: s.writer, statements: map[string]*sql.Stmt{}}
	defer func() {
		if err = classify(err); errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil { // rolled back when the context ended
			err = ctx.Err()
		}
	}()
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	for query := range tx.statements {
		_, _ = s.writer.prepare(ctx, query) //nolint:sqlclosecheck // closed with the pool; without it, queries are parsed each time
	}
	return nil
}

// changed returns ErrNotFound if a statement changed nothing.
func changed(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return study.ErrNotFound
}

// Wake does nothing: processes on one file poll it.
func (s *Store) Wake(ctx context.Context, _ []string) error { return ctx.Err() }

// Listen returns nil: there are no notifications.
func (s *Store) Listen(context.Context, func(id string)) error { return nil }

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

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"bestpick/internal/store/sqlstore"
)

// ErrInUse reports that another process has the file open.
var ErrInUse = errors.New("another process has the file open: stop that process first")

// Restore replaces a database by a backup. It fails if the backup is damaged. Restore does not
// replace an existing database unless overwrite is set, and then no process may have it open.
func Restore(ctx context.Context, backup, path string, overwrite bool) (r sqlstore.Report, err error) {
	if same(backup, path) {
		return r, fmt.Errorf("%s: the backup must be another file than the database", path)
	}
	for _, name := range files(path) {
		if err := absent(name, overwrite); err != nil {
			return r, err
		}
	}
	return copyTo(ctx, backup, "mode=ro", path, func(written string) error {
		if !overwrite {
			return putAt(written, path, false)
		}
		if err := retire(ctx, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return putAt(written, path, true)
	})
}

// files returns the files of a database: the database itself and its logs.
func files(path string) []string {
	return []string{path, path + "-wal", path + "-shm", path + "-journal"}
}

// retire removes a database with its logs, which must not be applied to another database of the
// same name.
func retire(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err == nil {
		if err := unused(ctx, path); err != nil {
			return err
		}
	}
	for _, name := range files(path)[1:] {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// unused returns ErrInUse if a process has the file open. A damaged file counts as unused.
func unused(ctx context.Context, path string) (err error) {
	db, err := connect(path, "mode=rw")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for range 10 { // another process may be closing it
		if err = exclude(ctx, db); !busy(err) {
			return ctx.Err()
		}
		time.Sleep(20 * time.Millisecond)
	}
	return ErrInUse
}

// exclude moves the write-ahead log into the file and locks it, which succeeds only for the sole
// user of the file.
func exclude(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; ROLLBACK`)
	return err
}

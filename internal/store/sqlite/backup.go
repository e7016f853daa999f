package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	driver "modernc.org/sqlite"

	"bestpick/internal/access"
	"bestpick/internal/store/sqlstore"
)

// ErrThere reports that a file would be overwritten.
var ErrThere = errors.New("the file exists already")

// Backup copies a database to another file, as of one moment, while other processes may write. It fails if the database is
// damaged. The backup is complete or absent. Backup does not replace an existing file unless overwrite is set.
//
// The backup omits the secret, which invalidates the tokens of open questions. Otherwise, after a
// restore, the token of a later question would be valid for an earlier one.
func Backup(ctx context.Context, path, backup string, overwrite bool) (sqlstore.Report, error) {
	if err := absent(backup, overwrite); err != nil {
		return sqlstore.Report{}, err
	}
	if same(path, backup) {
		return sqlstore.Report{}, fmt.Errorf("%s: the backup must be another file than the database", backup)
	}
	return copyTo(ctx, path, "mode=rw", backup, func(written string) error { return putAt(written, backup, overwrite) })
}

// absent returns ErrThere if a file exists.
func absent(path string, overwrite bool) error {
	if _, err := os.Lstat(path); err == nil && !overwrite {
		return fmt.Errorf("%s: %w", path, ErrThere)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// same reports whether two paths name the same file.
func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// copyTo copies a database in two steps, and calls put to move the result to its place. The first copy has the pages of the file
// unchanged, so that the integrity check detects damage, and checks exactly the copied data. The second is rewritten row by row,
// which omits deleted rows but would hide damage.
func copyTo(ctx context.Context, path, mode, to string, put func(written string) error) (r sqlstore.Report, err error) {
	if _, err := os.Stat(path); err != nil {
		return r, err
	}
	pages, removePages, err := partial(to)
	if err != nil {
		return r, err
	}
	defer removePages()
	rows, removeRows, err := partial(to)
	if err != nil {
		return r, err
	}
	defer removeRows() // unless it was moved to its place
	if err := copyPages(ctx, path, mode, pages); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if err := usable(inspect(ctx, pages, asCopied)); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if err := vacuum(ctx, pages, rows); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	r, err = inspect(ctx, rows, "mode=ro")
	if err := usable(r, err); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if err := flush(rows); err != nil {
		return r, err
	}
	if err := put(rows); err != nil {
		return r, err
	}
	return r, flush(filepath.Dir(to))
}

// asCopied opens a copy of pages without its write-ahead log, whose content is in the pages.
const asCopied = "mode=ro&immutable=1"

// partial creates an empty file, readable by its owner only, in the folder of another file, and
// returns a function that removes it.
func partial(to string) (name string, remove func(), err error) {
	file, err := os.CreateTemp(filepath.Dir(to), ".bestpick-*.partial")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.Remove(file.Name()) } // a leftover file is harmless
	if err := file.Close(); err != nil {
		remove()
		return "", nil, err
	}
	return file.Name(), remove, nil
}

// usable returns why a database cannot be copied: it cannot be read, is damaged, or is too new.
func usable(r sqlstore.Report, err error) error {
	if err != nil {
		return err
	}
	return r.Check()
}

// copyPages copies the pages of a database, in one read transaction, to an empty file.
func copyPages(ctx context.Context, path, mode, to string) (err error) {
	db, err := connect(path, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if tables, err := ours(ctx, db); err != nil {
		return err
	} else if tables == 0 {
		return sqlstore.ErrForeign
	}
	connection, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, connection.Close()) }()
	if _, err := connection.ExecContext(ctx, `BEGIN; SELECT count(*) FROM sqlite_schema`); err != nil {
		return err
	}
	err = connection.Raw(func(raw any) error { return stepwise(ctx, raw, to) })
	_, ended := connection.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`) // even if the context is done
	return errors.Join(err, ended)
}

// stepwise copies the pages that a connection reads, some at a time. The open transaction of the
// connection makes all of them belong to one moment.
func stepwise(ctx context.Context, raw any, to string) error {
	source, ok := raw.(interface {
		NewBackup(to string) (*driver.Backup, error)
	})
	if !ok {
		return fmt.Errorf("sqlite: a connection of type %T does not support backups", raw)
	}
	backup, err := source.NewBackup(address(to))
	if err != nil {
		return err
	}
	const pages = 4096
	for more := true; more && err == nil; {
		if more, err = backup.Step(pages); err == nil {
			err = ctx.Err()
		}
	}
	return errors.Join(err, backup.Finish())
}

// vacuum writes the rows of a copy of pages, apart from the secret, to an empty file.
func vacuum(ctx context.Context, pages, to string) (err error) {
	db, err := connect(pages, asCopied)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?`, to); err != nil {
		return err
	}
	return dropSecret(ctx, to)
}

func dropSecret(ctx context.Context, path string) (err error) {
	db, err := connect(path, "mode=rw&_pragma=secure_delete(1)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `DELETE FROM secrets`)
	return err
}

// Tokens returns the tokens in a database or backup, without changing the file.
func Tokens(ctx context.Context, path string) (tokens []access.Token, err error) {
	db, err := connect(path, "mode=ro")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return sqlstore.New(database{querier{db}, nil}, &dialect).Tokens(ctx)
}

// flush syncs a file or a folder to disk.
func flush(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// putAt renames a file.
func putAt(written, path string, overwrite bool) error {
	if overwrite {
		return os.Rename(written, path)
	}
	err := os.Link(written, path) // fails if the file was created in the meantime
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", path, ErrThere)
	}
	if err != nil { // not every file system supports links
		return os.Rename(written, path)
	}
	return nil
}

// ErrInUse reports that another process has the file open.
var ErrInUse = errors.New("another process has the file open: stop that process first")

// Restore replaces a database by a backup. It fails if the backup is damaged. Restore does not
// replace an existing database unless overwrite is set, and then no process may have it open.
func Restore(ctx context.Context, backup, path string, overwrite bool) (r sqlstore.Report, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link stays one
	}
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

// retire removes a database with its logs, which must not be applied to another database of the same name.
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

// exclude moves the write-ahead log into the file and locks it, which succeeds only for the sole user of the file.
func exclude(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE; ROLLBACK`)
	return err
}

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"bestpick/store/inspection"
)

// ErrThere is for files that would be overwritten.
var ErrThere = errors.New("it is there already")

// Backup writes all that is in a file to another one, as of one moment, while others may go on writing. The
// other file is complete or not there. It is refused if it is there already, unless that is to be
// overwritten.
//
// The secret stays behind, and with it the tokens of questions that are out: when the backup is put
// back, a question that was asked later would be taken for another one.
func Backup(ctx context.Context, path, backup string, overwrite bool) (inspection.Report, error) {
	if err := absent(backup, overwrite); err != nil {
		return inspection.Report{}, err
	}
	if same(path, backup) {
		return inspection.Report{}, fmt.Errorf("%s: a backup of itself would be none", backup)
	}
	return copyTo(ctx, path, "mode=rw", backup, func(written string) error { return putAt(written, backup, overwrite) })
}

// absent returns an error if something is there that must not be overwritten.
func absent(path string, overwrite bool) error {
	if _, err := os.Lstat(path); err == nil && !overwrite {
		return fmt.Errorf("%s: %w", path, ErrThere)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// same says whether two paths are of one file.
func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// copyTo writes what is in a file to a new one in the folder of another, checks it, and has it put in its
// place.
func copyTo(ctx context.Context, path, mode, to string, put func(written string) error) (r inspection.Report, err error) {
	if _, err := os.Stat(path); err != nil {
		return r, err
	}
	partial, err := os.CreateTemp(filepath.Dir(to), ".bestpick-*.partial") // for its owner only
	if err != nil {
		return r, err
	}
	defer func() {
		_ = os.Remove(partial.Name()) // it is in its place, or nobody needs it
	}()
	if err := partial.Close(); err != nil {
		return r, err
	}
	if err := vacuum(ctx, path, mode, partial.Name()); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if r, err = inspect(ctx, partial.Name(), "mode=ro"); err == nil {
		err = r.Check()
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if err := flush(partial.Name()); err != nil {
		return r, err
	}
	if err := put(partial.Name()); err != nil {
		return r, err
	}
	return r, flush(filepath.Dir(to))
}

// vacuum writes what is in a file, apart from its secret, to an empty one.
func vacuum(ctx context.Context, path, mode, to string) (err error) {
	db, err := connect(path, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if tables, err := ours(ctx, db); err != nil {
		return err
	} else if tables == 0 {
		return inspection.ErrForeign
	}
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

// flush returns when a file, or which files a folder has, is on disk.
func flush(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// putAt gives a file its name.
func putAt(written, path string, overwrite bool) error {
	if overwrite {
		return os.Rename(written, path)
	}
	err := os.Link(written, path) // refuses what has come in the meantime
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", path, ErrThere)
	}
	if err != nil { // not every file system has links
		return os.Rename(written, path)
	}
	return nil
}

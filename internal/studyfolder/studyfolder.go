// Package studyfolder archives a study in a folder of its own: a database with all of it, from which it can be restored,
// its log, from which the verdict can be recomputed, and its answers, for analysis.
package studyfolder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bestpick/internal/answers"
	"bestpick/internal/exports"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/wiring"
)

// The files of a folder.
const (
	databaseFile = "study.db"
	logFile      = "log.jsonl"
	answersFile  = "answers.parquet"
)

// Log returns the path of the log of an archived study.
func Log(folder string) string { return filepath.Join(folder, logFile) }

// Archive moves a study, which must not be open, from a store to a new folder. The folder appears when it is complete and
// its log has been verified; only then is the study deleted, unless it has changed. After an interruption at any point,
// another call completes the move.
func Archive(ctx context.Context, from study.Store, id, folder string) (study.Archive, error) {
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		if err := create(ctx, from, id, folder); err != nil {
			return study.Archive{}, err
		}
	}
	whole, err := read(ctx, id, folder)
	if err != nil {
		return study.Archive{}, err
	}
	return whole, from.DeleteUnchanged(ctx, id, whole.Study.Version, int64(len(whole.Outcomes)))
}

// Restore copies an archived study to a store. The folder stays.
func Restore(ctx context.Context, folder string, to study.Store) (whole study.Archive, err error) {
	err = withStudy(ctx, folder, func(store *sqlite.Store, id string) error {
		whole, err = owner.Copy(ctx, store, to, id)
		return err
	})
	return whole, err
}

// create writes a folder under another name, and renames it.
func create(ctx context.Context, from study.Store, id, folder string) error {
	partial := filepath.Clean(folder) + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return err
	}
	if err := fill(ctx, from, id, partial); err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	if err := sync(partial); err != nil {
		return err
	}
	if err := os.Rename(partial, folder); err != nil {
		return err
	}
	return sync(filepath.Dir(folder))
}

// fill writes the files of a folder.
func fill(ctx context.Context, from study.Store, id, folder string) error {
	err := with(folder, func(store *sqlite.Store) error { //nolint:contextcheck // opening a file does not block
		if _, err := owner.Copy(ctx, from, store, id); err != nil {
			return err
		}
		studies, err := wiring.New(ctx, store, wiring.Options{})
		if err != nil {
			return err
		}
		file, err := exports.Answers(ctx, studies, id, answers.Parquet)
		if err != nil {
			return err
		}
		return write(filepath.Join(folder, answersFile), file.Write)
	})
	if err != nil {
		return err
	}
	// The log comes from the store of the study, which signs it.
	if err := write(Log(folder), func(w io.Writer) error { return replay.Export(ctx, from, id, w) }); err != nil {
		return err
	}
	log, err := os.Open(Log(folder))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // it was only read
	_, err = replay.Verify(log)
	return err
}

// read returns the study in a folder, which must have the given id.
func read(ctx context.Context, id, folder string) (whole study.Archive, err error) {
	err = withStudy(ctx, folder, func(store *sqlite.Store, found string) error {
		if found != id {
			return fmt.Errorf("%s: holds another study, %s", folder, found)
		}
		whole, err = owner.Read(ctx, store, id)
		return err
	})
	return whole, err
}

// with opens the database of a folder while f runs.
func with(folder string, f func(*sqlite.Store) error) (err error) {
	store, err := sqlite.Open(filepath.Join(folder, databaseFile))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return f(store)
}

// withStudy opens the database of a complete folder while f runs with the id of its study.
func withStudy(ctx context.Context, folder string, f func(*sqlite.Store, string) error) error {
	if _, err := os.Stat(filepath.Join(folder, databaseFile)); err != nil {
		return fmt.Errorf("%s: not an archived study: there is no %s", folder, databaseFile)
	}
	return with(folder, func(store *sqlite.Store) error { //nolint:contextcheck // opening a file does not block
		studies, err := store.List(ctx, "", 2)
		if err != nil {
			return err
		}
		if len(studies) != 1 {
			return fmt.Errorf("%s: not an archived study: %s must have exactly one", folder, databaseFile)
		}
		return f(store, studies[0].ID)
	})
}

// write writes a file and forces it to the disk.
func write(path string, content func(io.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := content(file); err != nil {
		return err
	}
	return file.Sync()
}

// sync forces the entries of a folder to the disk.
func sync(folder string) error {
	directory, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

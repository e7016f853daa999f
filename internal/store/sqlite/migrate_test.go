package sqlite

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bestpick/internal/store/sqlstore"
)

// TestOld: a file of an earlier version is not changed, and the error says what to do.
func TestOld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "studies.db")
	db, err := connect(path, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `
		CREATE TABLE goose_db_version (version_id, is_applied); INSERT INTO goose_db_version VALUES (15, 1);
		CREATE TABLE studies (a); CREATE TABLE progress (a); CREATE TABLE outcomes (a)`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, sqlstore.ErrOld) || !strings.Contains(err.Error(), "start with a new one") {
		t.Errorf("open: %v", err)
	}
	if _, err := Inspect(t.Context(), path); !errors.Is(err, sqlstore.ErrOld) {
		t.Errorf("inspect: %v", err)
	}
	if _, err := Restore(t.Context(), path, path+".copy", false); !errors.Is(err, sqlstore.ErrOld) {
		t.Errorf("restore: %v", err)
	}
}

// TestNewer: a file of a later version is not changed.
func TestNewer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "studies.db")
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	pretend(t, store.writer)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.HasPrefix(err.Error(), path+": the database has version 1000000") {
		t.Errorf("got %v", err)
	}
}

func pretend(t *testing.T, db *sql.DB) {
	t.Helper()
	const newer = `INSERT INTO ` + sqlstore.VersionTable + ` (version_id, is_applied) VALUES (1000000, 1)`
	if _, err := db.ExecContext(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
}

// TestNotADatabase: a file of another kind is not changed.
func TestNotADatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	const notes = "These are notes, and there are enough of them to be longer than the header of a database, " +
		"which has a hundred bytes."
	if err := os.WriteFile(path, []byte(notes), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != notes {
		t.Errorf("the file became %q, %v", after, err)
	}
}

// TestPrivate: only the owner may read the file, because it contains a secret.
func TestPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "studies.db")
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, name := range []string{path, path + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
}

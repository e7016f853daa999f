package sqlite

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bestpick/internal/store/storetest"
)

// TestUpgrade: data of every version, including this one, can be read. A new version needs a file
// in testdata.
func TestUpgrade(t *testing.T) {
	db, err := connect(filepath.Join(t.TempDir(), "any.db"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	m, err := migrator(db)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range m.ListSources() {
		t.Run(fmt.Sprint("version ", source.Version), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "studies.db")
			writeAs(t, path, source.Version)
			store, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			storetest.Upgraded(t, store, source.Version)
		})
	}
}

// writeAs writes a file as a version did.
func writeAs(t *testing.T, path string, version int64) {
	t.Helper()
	dump, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("version-%d.sql", version)))
	if err != nil {
		t.Fatal(err)
	}
	db, err := connect(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	m, err := migrator(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), string(dump)); err != nil {
		t.Fatal(err)
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
	if _, err := db.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000000, 1)`); err != nil {
		t.Fatal(err)
	}
}

// TestNotADatabase: a file of another kind is not changed.
func TestNotADatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	const notes = "These are notes, and there are enough of them to be longer than the header of a database, which has a hundred bytes."
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

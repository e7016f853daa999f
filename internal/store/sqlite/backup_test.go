package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/store/storetest"
)

// opened opens a store and closes it at the end of the test.
func opened(t *testing.T, path string) *Store {
	t.Helper()
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// succeeds ends the test if there is an error.
func succeeds(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// writeSample writes a file with a study that has every kind of data, and with a secret of 32 bytes, each 7.
func writeSample(t *testing.T, path string) {
	t.Helper()
	store, err := Open(path)
	succeeds(t, "open", err)
	storetest.Fill(t, store)
	_, err = store.writer.ExecContext(t.Context(), `INSERT INTO secrets (one, bytes) VALUES (1, ?)`, bytes.Repeat([]byte{7}, 32))
	succeeds(t, "secret", err)
	succeeds(t, "close", store.Close())
}

// rowsOf returns all rows of a file by table, without the secret.
func rowsOf(t *testing.T, path string) map[string][]string {
	t.Helper()
	db, err := connect(path, "mode=ro")
	succeeds(t, "open", err)
	defer db.Close()
	names, err := querier{db}.Query(t.Context(), `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'secrets'`)
	tables, err := sqlstore.Collect(names, err, sqlstore.Column[string])
	succeeds(t, "tables", err)
	all := map[string][]string{}
	for _, table := range tables {
		rows, err := db.QueryContext(t.Context(), `SELECT * FROM `+table) //nolint:gosec,unqueryvet // all tables of the schema
		succeeds(t, table, err)
		columns, err := rows.Columns()
		succeeds(t, table, err)
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			succeeds(t, table, rows.Scan(into...))
			all[table] = append(all[table], fmt.Sprint(values...))
		}
		succeeds(t, table, errors.Join(rows.Err(), rows.Close())) //nolint:sqlclosecheck // failures end the test
	}
	return all
}

// TestBackup: databases, in use or not, are restored completely, except for the secret.
func TestBackup(t *testing.T) {
	for _, inUse := range []bool{false, true} {
		folder := t.TempDir()
		path, restored := filepath.Join(folder, "studies.db"), filepath.Join(folder, "restored.db")
		backup := filepath.Join(folder, "a backup?#.db")
		writeSample(t, path)
		if inUse {
			opened(t, path)
		}
		report, err := Backup(t.Context(), path, backup, false)
		succeeds(t, "backup", err)
		if report.Version != 1 || report.Studies != 1 || report.Outcomes == 0 || report.Last.IsZero() {
			t.Errorf("%+v", report)
		}
		_, err = Restore(t.Context(), backup, restored, false)
		succeeds(t, "restore", err)
		want := rowsOf(t, path)
		for _, name := range []string{backup, restored} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
			if text, err := os.ReadFile(name); err != nil || bytes.Contains(text, bytes.Repeat([]byte{7}, 32)) {
				t.Errorf("%s has the secret in it, %v", name, err)
			}
			if diff := cmp.Diff(want, rowsOf(t, name)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		store := opened(t, restored)
		secret, err := store.Secret(t.Context())
		succeeds(t, "secret", err)
		if bytes.Equal(secret, bytes.Repeat([]byte{7}, 32)) {
			t.Error("the secret is the same")
		}
		if left, err := filepath.Glob(filepath.Join(folder, ".bestpick-*")); err != nil || len(left) > 0 {
			t.Errorf("%q is left, %v", left, err)
		}
	}
}

// TestBackupRefused: existing files are not changed.
func TestBackupRefused(t *testing.T) {
	folder := t.TempDir()
	path, backup := filepath.Join(folder, "studies.db"), filepath.Join(folder, "backup.db")
	notes := filepath.Join(folder, "notes.txt")
	opened(t, path)
	text := []byte(strings.Repeat("These are notes. ", 100))
	succeeds(t, "notes", os.WriteFile(notes, text, 0o600))
	other := filepath.Join(folder, "other.db")
	foreign, err := sql.Open("sqlite", other)
	succeeds(t, "other", err)
	_, err = foreign.ExecContext(t.Context(), `CREATE TABLE studies (a)`)
	succeeds(t, "other", errors.Join(err, foreign.Close()))
	for name, c := range map[string]struct {
		from, to  string
		overwrite bool
		want      string
	}{
		"there":      {path, notes, false, notes + ": the file exists already"},
		"itself":     {path, path, true, "must be another file"},
		"no folder":  {path, filepath.Join(folder, "none", "b.db"), false, "no such file or directory"},
		"missing":    {filepath.Join(folder, "none.db"), backup, false, "no such file or directory"},
		"not one":    {notes, backup, false, "not a database"},
		"not of us":  {other, backup, false, "not a database of bestpick"},
		"not forced": {notes, other, true, "not a database"},
	} {
		if _, err := Backup(t.Context(), c.from, c.to, c.overwrite); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if after, err := os.ReadFile(notes); err != nil || !bytes.Equal(after, text) {
		t.Errorf("the notes became %q, %v", after, err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) != 5 {
		// Three files, and two of the open database.
		t.Errorf("there are %q, %v", left, err)
	}
	_, err = Backup(t.Context(), path, notes, true)
	succeeds(t, "forced", err)
}

// TestRestoreInUse: an open database is not replaced; one that was left behind with its logs is.
func TestRestoreInUse(t *testing.T) {
	folder := t.TempDir()
	path, backup := filepath.Join(folder, "studies.db"), filepath.Join(folder, "backup.db")
	writeSample(t, path)
	_, err := Backup(t.Context(), path, backup, false)
	succeeds(t, "backup", err)
	store := opened(t, path)
	succeeds(t, "delete", store.Delete(t.Context(), "a"))
	if _, err := Restore(t.Context(), backup, path, false); !errors.Is(err, ErrThere) {
		t.Errorf("it is there: got %v", err)
	}
	if _, err := Restore(t.Context(), backup, path, true); !errors.Is(err, ErrInUse) {
		t.Errorf("in use: got %v", err)
	}
	wal, err := os.ReadFile(path + "-wal")
	succeeds(t, "log", err)
	succeeds(t, "close", store.Close())
	succeeds(t, "log", os.WriteFile(path+"-wal", wal, 0o600)) //nolint:gosec // as after a crash, in a folder of the test
	_, err = Restore(t.Context(), backup, path, true)
	succeeds(t, "restore", err)
	if _, err := opened(t, path).Study(t.Context(), "a"); err != nil {
		t.Errorf("the study is not back: %v", err)
	}
}

// TestRestoreRefused: a file that is damaged, newer or not a backup is not restored.
func TestRestoreRefused(t *testing.T) {
	folder := t.TempDir()
	path, backup := filepath.Join(folder, "studies.db"), filepath.Join(folder, "backup.db")
	target := filepath.Join(folder, "target.db")
	writeSample(t, path)
	_, err := Backup(t.Context(), path, backup, false)
	succeeds(t, "backup", err)
	good, err := os.ReadFile(backup)
	succeeds(t, "read", err)
	damaged, newer := filepath.Join(folder, "damaged.db"), filepath.Join(folder, "newer.db")
	succeeds(t, "truncated", os.WriteFile(damaged, good[:len(good)/2], 0o600)) //nolint:gosec // in a folder of the test
	succeeds(t, "newer", os.WriteFile(newer, good, 0o600))                     //nolint:gosec // as above
	db, err := connect(newer, "")
	succeeds(t, "newer", err)
	pretend(t, db)
	succeeds(t, "newer", db.Close())
	for name, want := range map[string]string{
		damaged: "", newer: "the database has version 1000000",
		filepath.Join(folder, "none.db"): "no such file",
	} {
		if _, err := Restore(t.Context(), name, target, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := os.Stat(target); err == nil {
			t.Fatalf("%s was restored", name)
		}
	}
}

func TestInspect(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "studies.db")
	succeeds(t, "empty", os.WriteFile(path, nil, 0o600))
	report, err := Inspect(t.Context(), path)
	succeeds(t, "inspect", err)
	if report.Version != 0 || report.Newest != 1 {
		t.Errorf("an empty file: %+v", report)
	}
	writeSample(t, path)
	succeeds(t, "write", TryWrite(t.Context(), path))
	if report, err = Inspect(t.Context(), path); err != nil || report.Version != 1 || report.Check() != nil {
		t.Errorf("version 1: %+v, %v", report, err)
	}
	other := filepath.Join(folder, "other.db")
	db, err := connect(other, "")
	succeeds(t, "other", err)
	_, err = db.ExecContext(t.Context(), `CREATE TABLE progress (a)`)
	succeeds(t, "other", errors.Join(err, db.Close()))
	if _, err := Inspect(t.Context(), other); !errors.Is(err, sqlstore.ErrForeign) {
		t.Errorf("another one: %v", err)
	}
}

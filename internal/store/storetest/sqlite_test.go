package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/jobs"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
)

// TestNoByteIsLeft: the name of an erased respondent is neither in the file nor in its log, for any
// number of earlier and later writes. So are all names after their removal, when its job is done.
func TestNoByteIsLeft(t *testing.T) {
	const name = "Wilhelmina Featherstonehaugh"
	path := filepath.Join(t.TempDir(), "studies.db")
	store, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	if err := store.Create(t.Context(), study.Study{ID: "a", Name: "Lamps of 1928", State: study.Open, Version: 1, Salt: "salt"}, nil); err != nil {
		t.Fatal(err)
	}
	answers := func(first int) {
		for i := range 300 {
			var some []study.Outcome
			for k := range 10 {
				p := first + 10*i + k
				o := study.Outcome{
					Position: study.Position(p), Kind: study.Answered, Shown: []int{1, 2}, Picks: []int{0},
					Respondent: fmt.Sprint("respondent ", p%500), At: now,
				}
				if p%37 == 0 {
					o.Respondent, o.Note.Rationale = name, "because "+name
				}
				some = append(some, o)
			}
			if _, err := store.Record(t.Context(), "a", study.Terms{}, some...); err != nil {
				t.Fatal(err)
			}
		}
	}
	answers(0)
	if err := store.Import(t.Context(), "a", "survey", batch(study.Outcome{
		Position: study.OutsideDeck,
		Kind:     study.Imported, Respondent: name, At: now,
	})); err != nil {
		t.Fatal(err)
	}
	answers(3000)
	if _, err := store.Erase(t.Context(), "a", name, study.Plan{Version: 1, Restart: &study.Restart{}, At: now}); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, path + "-wal"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(data, []byte(name)); n > 0 {
			t.Errorf("%s has the name %d times", filepath.Base(file), n)
		}
		if n := bytes.Count(data, []byte("respondent 7")); (n > 0) != (file == path) {
			t.Errorf("%s has another name %d times", filepath.Base(file), n)
		}
	}
	st, err := store.Study(t.Context(), "a")
	succeeds(t, "study", err)
	st.State = study.Done
	_, err = store.Change(t.Context(), st, st.Version, nil)
	succeeds(t, "change", err)
	job := jobs.Erasure{Study: "a"}
	succeeds(t, "job", store.AddJob(t.Context(), job, time.Hour))
	succeeds(t, "removal", store.RemoveNames(t.Context(), "a", now))
	succeeds(t, "end of the job", store.RemoveJob(t.Context(), job))
	for _, file := range []string{path, path + "-wal"} {
		if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte("respondent 7")) {
			t.Errorf("%s has a name that was removed, or cannot be read: %v", filepath.Base(file), err)
		}
	}
	succeeds(t, "end of the study", store.Delete(t.Context(), "a"))
	hasNoStudy(t, path, st.Name)
	moved := study.Study{ID: "b", Name: st.Name, State: study.Draft, Version: 1}
	succeeds(t, "another study", store.Create(t.Context(), moved, nil))
	succeeds(t, "end of its move", store.DeleteUnchanged(t.Context(), moved.ID, moved.Version, 0))
	hasNoStudy(t, path, st.Name)
}

// hasNoStudy tests that neither a database nor its log has the name of a study.
func hasNoStudy(t *testing.T, path, name string) {
	t.Helper()
	for _, file := range []string{path, path + "-wal"} {
		if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte(name)) {
			t.Errorf("%s has the name of a study that is gone, or cannot be read: %v", filepath.Base(file), err)
		}
	}
}

// opened opens a store and closes it at the end of the test.
func opened(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(path)
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

// writeSample writes a file with a study that has every kind of data, and with a secret of 32 bytes, each 7.
func writeSample(t *testing.T, path string) {
	t.Helper()
	store, err := sqlite.Open(path)
	succeeds(t, "open", err)
	fill(t, store)
	db := sqliteFiles().connect(t, path)
	_, err = db.ExecContext(t.Context(), `INSERT INTO secrets (one, bytes) VALUES (1, ?)`, bytes.Repeat([]byte{7}, 32))
	succeeds(t, "close", db.Close())
	succeeds(t, "secret", err)
	succeeds(t, "close", store.Close())
}

// rowsOf returns all rows of a file by table, without the secret.
func rowsOf(t *testing.T, path string) map[string][]string {
	t.Helper()
	db := sqliteFiles().connect(t, path)
	tables := textsOf(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'secrets'`)
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

// TestNothingDueNeedsNoLock: looking for due studies does not wait for a writer if there are none.
func TestNothingDueNeedsNoLock(t *testing.T) {
	place := sqliteFiles().create(t)
	store := sqliteFiles().stage(t, place).store()
	conn, err := sqliteFiles().connect(t, place).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil { // a writer
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if due, err := store.Attend(ctx, "one", time.Now, time.Second, 9, nil); err != nil || len(due) > 0 {
		t.Errorf("%+v, %v", due, err)
	}
	if _, err := conn.ExecContext(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
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
		report, err := sqlite.Backup(t.Context(), path, backup, false)
		succeeds(t, "backup", err)
		if report.Version != 1 || report.Studies != 1 || report.Outcomes == 0 || report.Last.IsZero() {
			t.Errorf("%+v", report)
		}
		_, err = sqlite.Restore(t.Context(), backup, restored, false)
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
		if _, err := sqlite.Backup(t.Context(), c.from, c.to, c.overwrite); err == nil || !strings.Contains(err.Error(), c.want) {
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
	_, err = sqlite.Backup(t.Context(), path, notes, true)
	succeeds(t, "forced", err)
}

// TestRestoreInUse: an open database is not replaced; one that was left behind with its logs is.
func TestRestoreInUse(t *testing.T) {
	folder := t.TempDir()
	path, backup := filepath.Join(folder, "studies.db"), filepath.Join(folder, "backup.db")
	writeSample(t, path)
	_, err := sqlite.Backup(t.Context(), path, backup, false)
	succeeds(t, "backup", err)
	store := opened(t, path)
	succeeds(t, "delete", store.Delete(t.Context(), "a"))
	if _, err := sqlite.Restore(t.Context(), backup, path, false); !errors.Is(err, sqlite.ErrThere) {
		t.Errorf("it is there: got %v", err)
	}
	if _, err := sqlite.Restore(t.Context(), backup, path, true); !errors.Is(err, sqlite.ErrInUse) {
		t.Errorf("in use: got %v", err)
	}
	wal, err := os.ReadFile(path + "-wal")
	succeeds(t, "log", err)
	succeeds(t, "close", store.Close())
	succeeds(t, "log", os.WriteFile(path+"-wal", wal, 0o600)) //nolint:gosec // as after a crash, in a folder of the test
	link := filepath.Join(folder, "link.db")
	succeeds(t, "link", os.Symlink(path, link))
	_, err = sqlite.Restore(t.Context(), backup, link, true)
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
	_, err := sqlite.Backup(t.Context(), path, backup, false)
	succeeds(t, "backup", err)
	good, err := os.ReadFile(backup)
	succeeds(t, "read", err)
	damaged, newer := filepath.Join(folder, "damaged.db"), filepath.Join(folder, "newer.db")
	succeeds(t, "truncated", os.WriteFile(damaged, good[:len(good)/2], 0o600)) //nolint:gosec // in a folder of the test
	succeeds(t, "newer", os.WriteFile(newer, good, 0o600))                     //nolint:gosec // as above
	db := sqliteFiles().connect(t, newer)
	const later = `INSERT INTO ` + sqlstore.VersionTable + ` (version_id, is_applied) VALUES (1000000, 1)`
	_, err = db.ExecContext(t.Context(), later)
	succeeds(t, "newer", err)
	succeeds(t, "newer", db.Close())
	for name, want := range map[string]string{
		damaged: "", newer: "the database has version 1000000",
		filepath.Join(folder, "none.db"): "no such file",
	} {
		if _, err := sqlite.Restore(t.Context(), name, target, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := os.Stat(target); err == nil {
			t.Fatalf("%s was restored", name)
		}
	}
}

func TestInspectSQLite(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "studies.db")
	succeeds(t, "empty", os.WriteFile(path, nil, 0o600))
	report, err := sqlite.Inspect(t.Context(), path)
	succeeds(t, "inspect", err)
	if report.Version != 0 || report.Newest != 1 {
		t.Errorf("an empty file: %+v", report)
	}
	writeSample(t, path)
	succeeds(t, "write", sqlite.TryWrite(t.Context(), path))
	if report, err = sqlite.Inspect(t.Context(), path); err != nil || report.Version != 1 || report.Check() != nil {
		t.Errorf("version 1: %+v, %v", report, err)
	}
	other := filepath.Join(folder, "other.db")
	db := sqliteFiles().connect(t, other)
	_, err = db.ExecContext(t.Context(), `CREATE TABLE progress (a)`)
	succeeds(t, "other", errors.Join(err, db.Close()))
	if _, err := sqlite.Inspect(t.Context(), other); !errors.Is(err, sqlstore.ErrForeign) {
		t.Errorf("another one: %v", err)
	}
}

// succeeds ends the test if there is an error.
func succeeds(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

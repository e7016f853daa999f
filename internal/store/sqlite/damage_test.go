package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/store/storetest"
	"bestpick/internal/study"
)

// pageSize is the default of SQLite.
const pageSize = 4096

// busyDatabase writes a database with two studies in progress: catalogues and snapshots of many
// pages, plans with verdicts of some pages each, and thousands of outcomes.
func busyDatabase(t *testing.T, path string) {
	t.Helper()
	store, err := Open(path)
	succeeds(t, "open", err)
	ctx, now, rng := t.Context(), time.UnixMicro(1_700_000_000_000_000), rand.New(rand.NewPCG(1, 2))
	noise := func(length int) []byte {
		text := make([]byte, length)
		for i := range text {
			text[i] = byte('a' + rng.IntN(26))
		}
		return text
	}
	for _, id := range []string{"a", "b"} {
		succeeds(t, "create", store.Create(ctx, study.Study{
			ID: id, Version: 1, State: study.Open, Created: now,
			Changed: now,
		}, noise(100_000)))
		succeeds(t, "lead", store.AcquireLease(ctx, id, "planner", now, now.Add(time.Hour)))
		batch := make([]study.Outcome, 2000)
		for i := range batch {
			batch[i] = study.Outcome{
				Position: study.OutsideDeck, Kind: study.Imported, Shown: []int{i % 7, 8, 9}, Picks: []int{i % 3},
				Respondent: fmt.Sprint("respondent ", i), Asked: now, At: now,
			}
		}
		succeeds(t, "import", store.Import(ctx, id, "survey", storetest.Batch(batch...)))
		for number := 1; number <= 10; number++ {
			plan := study.Plan{
				Number: number, First: study.Position(4 * (number - 1)), Questions: [][]int{{1, 2, 3}, {2, 3, 4}, {3, 4, 5}, {4, 5, 6}},
				Verdict: fmt.Appendf(nil, `{"leader":1,"text":"%s"}`, noise(3000*(number%5))), At: now,
			}
			succeeds(t, "append", store.Append(ctx, id, "planner", plan))
			_, err := store.Record(ctx, id, study.NoLimit, study.Outcome{Position: plan.First, Kind: study.Skipped, At: now})
			succeeds(t, "record", err)
		}
		succeeds(t, "snapshot", store.SaveSnapshot(ctx, id, 5, noise(150_000)))
		succeeds(t, "snapshot", store.SaveSnapshot(ctx, id, 10, noise(100_000))) // leaves free pages
	}
	_, err = store.Secret(ctx)
	succeeds(t, "secret", err)
	succeeds(t, "close", store.Close())
}

// usedPages returns the pages of a database that are in use: those of tables and indexes, overflow
// pages too, but not free ones. SQLite never reads a free page, so damage to it loses nothing.
func usedPages(t *testing.T, path string) (pages []int64, kinds map[string]int) {
	t.Helper()
	db, err := connect(path, "mode=ro")
	succeeds(t, "open", err)
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT pageno, pagetype FROM dbstat ORDER BY pageno`)
	succeeds(t, "pages", err)
	defer rows.Close()
	kinds = map[string]int{}
	for rows.Next() {
		var page int64
		var kind string
		succeeds(t, "page", rows.Scan(&page, &kind))
		pages = append(pages, page)
		kinds[kind]++
	}
	succeeds(t, "pages", rows.Err())
	return pages, kinds
}

func TestDamagedPages(t *testing.T) { damagedPages(t, 15) }

// damagedPages makes some databases with one page, drawn from all pages in use, that is overwritten with
// random bytes. None of them can be backed up or restored, or passes the integrity check.
func damagedPages(t *testing.T, databases int) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "studies.db")
	busyDatabase(t, path)
	good, err := os.ReadFile(path)
	succeeds(t, "read", err)
	pages, kinds := usedPages(t, path)
	if kinds["overflow"] < 100 || kinds["leaf"] < 20 || kinds["internal"] < 2 || len(good)/pageSize == len(pages) {
		t.Fatalf("%d pages, in use %v", len(good)/pageSize, kinds)
	}
	_, err = Backup(t.Context(), path, filepath.Join(folder, "backup.db"), false)
	succeeds(t, "the backup of the sound one", err)
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range databases {
		page := pages[rng.IntN(len(pages))]
		bad := bytes.Clone(good)
		for i := range pageSize {
			bad[(page-1)*pageSize+int64(i)] = byte(rng.Uint32())
		}
		damaged, to := filepath.Join(folder, fmt.Sprintf("%d.db", n)), filepath.Join(folder, fmt.Sprintf("%d-copy.db", n))
		succeeds(t, "write", os.WriteFile(damaged, bad, 0o600)) //nolint:gosec // in a folder of the test
		if _, err := Inspect(t.Context(), damaged); err == nil {
			t.Errorf("page %d of %d: the database passes as sound", page, len(good)/pageSize)
		}
		if _, err := Backup(t.Context(), damaged, to, false); err == nil {
			t.Errorf("page %d of %d: it is backed up", page, len(good)/pageSize)
		}
		if _, err := Restore(t.Context(), damaged, to, false); err == nil {
			t.Errorf("page %d of %d: it is restored", page, len(good)/pageSize)
		}
		if _, err := os.Stat(to); err == nil {
			t.Errorf("page %d of %d: there is a copy", page, len(good)/pageSize)
		}
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".bestpick-*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}

// TestNoRoom: a file that may not grow refuses what is new, keeps what it has, and goes on when it may.
func TestNoRoom(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "studies.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	bound := func(pages string) {
		t.Helper()
		if _, err := s.writer.ExecContext(t.Context(), `PRAGMA max_page_count = `+pages); err != nil {
			t.Fatal(err)
		}
	}
	add := func(id string) error {
		return s.Create(t.Context(), study.Study{ID: id, Version: 1, State: study.Draft, Created: time.Now()}, make([]byte, 1<<20))
	}
	if err := add("first"); err != nil {
		t.Fatal(err)
	}
	bound("1") // which means as many as there are
	for range 3 {
		if err := add("second"); !errors.Is(err, study.ErrUnavailable) {
			t.Errorf("there is no room, and %v", err)
		}
	}
	if _, err := s.Study(t.Context(), "first"); err != nil {
		t.Error(err)
	}
	bound("100000")
	if err := add("second"); err != nil {
		t.Error(err)
	}
	if err := add("second"); !errors.Is(err, study.ErrChanged) || errors.Is(err, study.ErrUnavailable) {
		t.Errorf("it is there already, and %v", err)
	}
}

// TestUnavailable: no operation works while the file cannot be opened, and each may work later.
func TestUnavailable(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "studies.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	gone := filepath.Join(t.TempDir(), "unmounted", "studies.db")
	for _, pool := range []**sql.DB{&s.writer, &s.readers.DB} {
		if err := (*pool).Close(); err != nil {
			t.Fatal(err)
		}
		if *pool, err = connect(gone, ""); err != nil {
			t.Fatal(err)
		}
	}
	s.readers.prepared = nil
	storetest.Unavailable(t, s)
}

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

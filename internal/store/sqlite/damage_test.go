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

	"go.uber.org/goleak"

	"bestpick/internal/access"
	"bestpick/internal/jobs"
	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/internal/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
		}, noise(125_000)))
		_, err := store.AcquireLease(ctx, id, "planner", now, now.Add(time.Hour))
		succeeds(t, "lead", err)
		batch := make([]study.Outcome, 2000)
		for i := range batch {
			batch[i] = study.Outcome{
				Position: study.OutsideDeck, Kind: study.Imported, Shown: []int{i % 7, 8, 9}, Picks: []int{i % 3},
				Respondent: fmt.Sprint("respondent ", i), Asked: now, At: now,
			}
		}
		succeeds(t, "import", store.Import(ctx, id, "survey", func(yield func(study.Outcome, error) bool) {
			for _, o := range batch {
				if !yield(o, nil) {
					return
				}
			}
		}))
		for number := 1; number <= 10; number++ {
			plan := study.Plan{
				Number: number, First: study.Position(4 * (number - 1)), Questions: [][]int{{1, 2, 3}, {2, 3, 4}, {3, 4, 5}, {4, 5, 6}},
				Verdict: fmt.Appendf(nil, `{"leader":1,"text":"%s"}`, noise(3000*(number%5))), At: now,
			}
			succeeds(t, "append", store.Append(ctx, id, "planner", plan))
			_, err := store.Record(ctx, id, study.Terms{}, study.Outcome{Position: plan.First, Kind: study.Skipped, At: now})
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
	for _, p := range []*pool{s.writer, s.readers} {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if p.DB, err = connect(gone, ""); err != nil {
			t.Fatal(err)
		}
	}
	testsupport.Refuses(t, s, func(method string, err error) bool {
		return errors.Is(err, study.ErrUnavailable) || method == "Listen" || method == "Wake" // for other processes
	}, study.Outcome{Kind: study.Answered, Shown: []int{0, 1}, Picks: []int{0}},
		access.Token{Name: "a", Role: access.Owner, Hash: access.Hash("a"), Created: time.Unix(0, 0)},
		access.Entry{At: time.Unix(0, 0), Operation: "import-answers"}, jobs.Erasure{Study: "a"},
		webhook.Hook{Study: "a", URL: "https://a.test", Secret: "a", Delivery: "a", State: webhook.Waiting})
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
	pretend(t, store.writer.DB)
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

// succeeds ends the test if there is an error.
func succeeds(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

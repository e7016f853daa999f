package sqlite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/store/storetest"
	"bestpick/internal/study"
)

func TestMain(m *testing.M) {
	storetest.Child(openChild)
	goleak.VerifyTestMain(m)
}

func TestStore(t *testing.T) { storetest.Run(t, place) }

// place returns an opener of a new file, with a name that needs escaping in a URI.
func place(t testing.TB) func() (storetest.Store, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a study?&%41#é.db")
	return func() (storetest.Store, error) { return Open(path) }
}

// TestNothingIsLeft: no table has data of a deleted study.
func TestNothingIsLeft(t *testing.T) {
	store, err := Open(filepath.Join(t.TempDir(), "studies.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	storetest.Fill(t, store)
	if err := store.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	rows, err := querier{store.readers}.Query(t.Context(), `
		SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND c.name = 'study'`)
	tables, err := sqlstore.Collect(rows, err, sqlstore.Column[string])
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	for _, table := range append(tables, "studies", "imported") {
		var left int
		if err := store.readers.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&left); err != nil || left > 0 {
			t.Errorf("%s has %d rows, %v", table, left, err)
		}
	}
}

// TestNoByteIsLeft: the name of an erased respondent is neither in the file nor in its log, for any
// number of earlier and later writes.
func TestNoByteIsLeft(t *testing.T) {
	const name = "Wilhelmina Featherstonehaugh"
	path := filepath.Join(t.TempDir(), "studies.db")
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	if err := store.Create(t.Context(), study.Study{ID: "a", State: study.Open, Version: 1}, nil); err != nil {
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
			if _, err := store.Record(t.Context(), "a", study.NoLimit, some...); err != nil {
				t.Fatal(err)
			}
		}
	}
	answers(0)
	if err := store.Import(t.Context(), "a", "survey", storetest.Batch(study.Outcome{
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
}

func openChild(path string) (storetest.Store, error) { return Open(path) }

func TestKilled(t *testing.T) {
	storetest.Killed(t, 20, filepath.Join(t.TempDir(), "studies.db"), openChild)
}

func TestKilledDeal(t *testing.T) {
	storetest.KilledDeal(t, filepath.Join(t.TempDir(), "studies.db"), openChild)
}

func TestJobRescued(t *testing.T) {
	storetest.Rescued(t, filepath.Join(t.TempDir(), "studies.db"), openChild)
}

// TestJobsLeaveNothing: jobs that are done or removed leave nothing in the file and its write-ahead log.
func TestJobsLeaveNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "studies.db")
	storetest.LeavesNothing(t, path, openChild, 20*time.Second, func(secret string) bool {
		database, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		log, err := os.ReadFile(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(append(database, log...), []byte(secret))
	})
}

func TestImportMemory(t *testing.T) { importMemory(t, 60_000) }

func importMemory(t *testing.T, rows int) {
	t.Helper()
	store, err := Open(filepath.Join(t.TempDir(), "studies.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	storetest.ImportMemory(t, store, rows)
}

// count returns the number of rows of a table.
func count(t *testing.T, s *Store, table string) (n int) {
	t.Helper()
	if err := s.readers.DB.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKilledImport: staged rows of a killed process do not count, and are swept.
func TestKilledImport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "studies.db")
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	storetest.KilledImport(t, path, openChild, func() int { return count(t, store, "imported") }, func() {
		if _, err := store.writer.ExecContext(t.Context(), `UPDATE imports SET touched = touched - 3660`); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNothingIsStaged: a failed import leaves no staged rows.
func TestNothingIsStaged(t *testing.T) {
	store, err := Open(filepath.Join(t.TempDir(), "studies.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	storetest.FailedImport(t, store)
	for _, table := range []string{"imports", "imported", "batches"} {
		if left := count(t, store, table); left > 0 {
			t.Errorf("%s has %d rows", table, left)
		}
	}
}

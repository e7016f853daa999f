package sqlite

import (
	"path/filepath"
	"testing"

	"bestpick/internal/store/storetest"
)

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

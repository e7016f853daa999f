package postgres

import (
	"testing"

	"bestpick/internal/store/storetest"
)

func TestImportMemory(t *testing.T) { importMemory(t, 60_000) }

func importMemory(t *testing.T, rows int) {
	t.Helper()
	store, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	storetest.ImportMemory(t, store, rows)
}

// TestKilledImport: staged rows of a killed process do not count, and are swept.
func TestKilledImport(t *testing.T) {
	url := server.Database(t)
	store, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	staged := func() int {
		var n int
		if err := store.pool.QueryRow(t.Context(), `SELECT count(*) FROM imported`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	storetest.KilledImport(t, url, openChild, staged, func() {
		if _, err := store.pool.Exec(t.Context(), `UPDATE imports SET touched = touched - interval '61 minutes'`); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNothingIsStaged: a failed import leaves no staged rows.
func TestNothingIsStaged(t *testing.T) {
	store, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	storetest.FailedImport(t, store)
	for _, table := range []string{"imports", "imported", "batches"} {
		var left int
		if err := store.pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&left); err != nil || left > 0 {
			t.Errorf("%s has %d rows, %v", table, left, err)
		}
	}
}

package sqlite

import (
	"path/filepath"
	"testing"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/store/storetest"
)

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

package postgres

import (
	"testing"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/store/storetest"
)

// TestNothingIsLeft: no table has data of a deleted study.
func TestNothingIsLeft(t *testing.T) {
	store, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	storetest.Fill(t, store)
	if err := store.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	rows, err := querier{store.pool}.Query(t.Context(), `
		SELECT table_name::text FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'study'`)
	tables, err := sqlstore.Collect(rows, err, sqlstore.Column[string])
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	for _, table := range append(tables, "studies", "imported") {
		var left int
		if err := store.pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&left); err != nil || left > 0 {
			t.Errorf("%s has %d rows, %v", table, left, err)
		}
	}
}

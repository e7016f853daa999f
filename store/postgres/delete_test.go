package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"bestpick/store/storetest"
)

// TestNothingIsLeft: no table has anything of a study that was deleted.
func TestNothingIsLeft(t *testing.T) {
	store, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	storetest.Deleted(t, store)
	tables, err := all(t.Context(), store.pool, pgx.RowTo[string], `
		SELECT table_name::text FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'study'`)
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	for _, table := range append(tables, "studies", "imported") {
		left, err := one(t.Context(), store.pool, pgx.RowTo[int], `SELECT count(*) FROM `+table)
		if err != nil || left > 0 {
			t.Errorf("%s has %d rows, %v", table, left, err)
		}
	}
}

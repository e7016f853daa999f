//go:build long

package postgres

import (
	"context"
	"testing"

	"bestpick/internal/store/storetest"
)

// TestLongPooled runs the conformance suite through PgBouncer in transaction mode. A direct connection creates the tables.
func TestLongPooled(t *testing.T) {
	through := server.Pooled(t)
	storetest.Run(t, func(t testing.TB) func() (storetest.Store, error) {
		t.Helper()
		direct := server.Database(t)
		store, err := Open(t.Context(), direct)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		url := through(direct) + "&default_query_exec_mode=exec"
		return func() (storetest.Store, error) {
			store, err := Open(t.Context(), url)
			return deaf{store}, err
		}
	})
}

// deaf is a store without notifications, which do not pass through PgBouncer in transaction mode.
type deaf struct{ *Store }

func (deaf) Listen(context.Context, func(id string, shard int)) error { return nil }

//go:build long

package postgres

import (
	"context"
	"testing"
	"time"

	"bestpick/internal/store/storetest"
)

func TestLongImportMemory(t *testing.T) { importMemory(t, 1_000_000) }

func TestLongJobRescued(t *testing.T) { storetest.Rescued(t, server.Database(t), openChild) }

// TestLongJobsLeaveNothing: River deletes jobs that are done after a minute, and looks for them every 30 seconds.
func TestLongJobsLeaveNothing(t *testing.T) { leaveNothing(t, 3*time.Minute) }

// TestLongJobProlonged: River rescues jobs every 30 seconds.
func TestLongJobProlonged(t *testing.T) {
	storetest.Prolonged(t, server.Database(t), openChild, 40*time.Second)
}

func TestLongKilled(t *testing.T) { storetest.Killed(t, 100, server.Database(t), openChild) }

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

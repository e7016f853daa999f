//go:build long

package storetest

import (
	"context"
	"testing"
	"time"

	"bestpick/internal/store/postgres"
)

func TestLongKilled(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		t.Helper()
		killed(t, d, 100)
	})
}

func TestLongImportMemory(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		t.Helper()
		importMemory(t, d, 1_000_000)
	})
}

func TestLongJobRescued(t *testing.T) { rescued(t, postgresServer()) }

// TestLongJobsLeaveNothing: River deletes jobs that are done after a minute, and looks for them every 30 seconds.
func TestLongJobsLeaveNothing(t *testing.T) { riverLeavesNothing(t, 3*time.Minute) }

// TestLongJobProlonged: River rescues jobs every 30 seconds.
func TestLongJobProlonged(t *testing.T) {
	postgresServer().stage(t, postgresServer().create(t)).prolongs(40 * time.Second)
}

// TestLongPooled runs the conformance suite through PgBouncer in transaction mode. A direct connection creates the tables.
func TestLongPooled(t *testing.T) {
	through := server.Pooled(t)
	runSuite(t, func(t testing.TB) func() (Store, error) {
		t.Helper()
		direct := server.Database(t)
		store, err := postgres.Open(t.Context(), direct)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		url := through(direct) + "&default_query_exec_mode=exec"
		return func() (Store, error) {
			store, err := postgres.Open(t.Context(), url)
			return deaf{store}, err
		}
	})
}

// deaf is a store without notifications, which do not pass through PgBouncer in transaction mode.
type deaf struct{ Store }

func (deaf) Listen(context.Context, func(id string)) error { return nil }

package postgres

import (
	"context"
	"testing"
	"time"

	"bestpick/internal/store/storetest"
)

// TestJobsLeaveNothing: jobs that are removed leave nothing in the tables of River.
func TestJobsLeaveNothing(t *testing.T) { leaveNothing(t, 0) }

func leaveNothing(t *testing.T, within time.Duration) {
	t.Helper()
	url := server.Database(t)
	storetest.LeavesNothing(t, url, openChild, within, func(secret string) bool {
		store, err := Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = store.Close() }()
		var rows int
		const having = `SELECT count(*) FROM bestpick_jobs.river_job WHERE river_job::text LIKE '%' || $1 || '%'`
		if err := store.pool.QueryRow(t.Context(), having, secret).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		return rows > 0
	})
}

func openChild(url string) (storetest.Store, error) { return Open(context.Background(), url) }

func TestKilled(t *testing.T) { storetest.Killed(t, 20, server.Database(t), openChild) }

func TestKilledDeal(t *testing.T) { storetest.KilledDeal(t, server.Database(t), openChild) }

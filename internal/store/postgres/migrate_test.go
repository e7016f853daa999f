package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"bestpick/internal/store/storetest"
)

// TestUpgrade: data of every version, including this one, can be read. A new version needs a file
// in testdata.
func TestUpgrade(t *testing.T) {
	m, err := migrator(openPlainly(t, server.Database(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range m.ListSources() {
		t.Run(fmt.Sprint("version ", source.Version), func(t *testing.T) {
			url := server.Database(t)
			writeAs(t, url, source.Version)
			store, err := Open(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			storetest.Upgraded(t, store, source.Version)
		})
	}
}

// writeAs fills a database as a version did.
func writeAs(t *testing.T, url string, version int64) {
	t.Helper()
	dump, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("version-%d.sql", version)))
	if err != nil {
		t.Fatal(err)
	}
	db := openPlainly(t, url)
	m, err := migrator(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), string(dump)); err != nil {
		t.Fatal(err)
	}
}

func openPlainly(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// TestNewer: a database of a later version is not changed.
func TestNewer(t *testing.T) {
	url := server.Database(t)
	store, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.pool.Exec(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000000, true)`)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), url); err == nil || !strings.HasPrefix(err.Error(), "the database has version 1000000") {
		t.Errorf("got %v", err)
	}
}

// TestUpgradeTogether: processes that start at the same time upgrade the tables once.
func TestUpgradeTogether(t *testing.T) {
	url := server.Database(t)
	writeAs(t, url, 6)
	var starting errgroup.Group
	for range 4 {
		starting.Go(func() error {
			store, err := Open(t.Context(), url)
			if err != nil {
				return err
			}
			return store.Close()
		})
	}
	if err := starting.Wait(); err != nil {
		t.Error(err)
	}
}

// TestUpgradeLetsOthersPass: an upgrade that waits for a long transaction does not block the processes
// that use the tables meanwhile, and succeeds when the transaction has ended.
func TestUpgradeLetsOthersPass(t *testing.T) {
	url := server.Database(t)
	writeAs(t, url, 11)
	db := openPlainly(t, url)
	long, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const reading = `SELECT count(*) FROM outcomes`
	var n int
	if err := long.QueryRowContext(t.Context(), reading).Scan(&n); err != nil {
		t.Fatal(err)
	}
	upgraded := make(chan error, 1)
	go func() {
		store, err := Open(t.Context(), url)
		if err == nil {
			err = store.Close()
		}
		upgraded <- err
	}()
	for waiting := false; !waiting; {
		const isWaiting = `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE relation = 'outcomes'::regclass AND NOT granted)`
		if err := db.QueryRowContext(t.Context(), isWaiting).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := db.QueryRowContext(ctx, reading).Scan(&n); err != nil {
		t.Errorf("reading while an upgrade waits: %v", err)
	}
	if err := long.Rollback(); err != nil {
		t.Error(err)
	}
	if err := <-upgraded; err != nil {
		t.Error(err)
	}
}

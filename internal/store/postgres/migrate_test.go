package postgres

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"bestpick/internal/store/sqlstore"
)

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
	_, err = store.pool.Exec(t.Context(), `INSERT INTO `+sqlstore.VersionTable+` (version_id, is_applied) VALUES (1000000, true)`)
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

// TestOld: a database of an earlier version is not changed, and the error says what to do.
func TestOld(t *testing.T) {
	url := server.Database(t)
	_, err := openPlainly(t, url).ExecContext(t.Context(), `
		CREATE TABLE goose_db_version (version_id bigint, is_applied boolean); INSERT INTO goose_db_version VALUES (14, true);
		CREATE TABLE studies (a int); CREATE TABLE progress (a int); CREATE TABLE outcomes (a int)`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), url); !errors.Is(err, sqlstore.ErrOld) {
		t.Errorf("open: %v", err)
	}
	if _, err := Inspect(t.Context(), url); !errors.Is(err, sqlstore.ErrOld) {
		t.Errorf("inspect: %v", err)
	}
}

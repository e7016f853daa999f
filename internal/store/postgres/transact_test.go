package postgres

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestInTheWay: a transaction that failed because of others is retried from the start.
func TestInTheWay(t *testing.T) {
	store, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for code, want := range map[string]int{"40001": 3, "40P01": 3, "23505": 1} {
		attempts := 0
		err := store.transact(t.Context(), func(tx pgx.Tx) error {
			attempts++
			if _, err := tx.Exec(t.Context(), `INSERT INTO studies (id, version, state, body) VALUES ($1, 1, '', '')`, code); err != nil {
				return err
			}
			if attempts < 3 {
				return &pgconn.PgError{Code: code}
			}
			return nil
		})
		failure, failed := errors.AsType[*pgconn.PgError](err)
		if attempts != want || failed != (want == 1) || failed && failure.Code != code {
			t.Errorf("%s: %d attempts, %v", code, attempts, err)
		}
		var there int
		if err := store.pool.QueryRow(t.Context(), `SELECT count(*) FROM studies WHERE id = $1`, code).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if there != want/3 {
			t.Errorf("%s: %d rows", code, there)
		}
	}
}

// TestDeadlock: both transactions of a deadlock succeed.
func TestDeadlock(t *testing.T) {
	store, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.pool.Exec(t.Context(), `
		INSERT INTO studies (id, version, state, body) VALUES ('a', 0, '', ''), ('b', 0, '', '')`); err != nil {
		t.Fatal(err)
	}
	const raise = `UPDATE studies SET version = version + 1 WHERE id = $1`
	met, done := make(chan struct{}), make(chan error)
	swap := func(first, second string, meet func()) {
		attempts := 0
		done <- store.transact(t.Context(), func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), raise, first); err != nil {
				return err
			}
			if attempts++; attempts == 1 {
				meet()
			}
			_, err := tx.Exec(t.Context(), raise, second)
			return err
		})
	}
	go swap("a", "b", func() { met <- struct{}{} })
	go swap("b", "a", func() { <-met })
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	var least, most int
	if err := store.pool.QueryRow(t.Context(), `SELECT min(version), max(version) FROM studies`).Scan(&least, &most); err != nil {
		t.Fatal(err)
	}
	if least != 2 || most != 2 {
		t.Errorf("the versions are from %d to %d", least, most)
	}
}

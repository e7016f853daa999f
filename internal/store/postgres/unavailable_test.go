package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"bestpick/internal/study"
)

// TestUnavailable: a connection that was ended, or cannot be made, is something that passes; a query that makes no
// sense is not, nor is a study that is not there.
func TestUnavailable(t *testing.T) {
	s, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.pool.Exec(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`); !s.Unavailable(err) {
		t.Errorf("the connection was ended, and %v", err)
	}
	if _, err := s.List(t.Context(), "", 1); err != nil {
		t.Errorf("there are other connections, but %v", err)
	}
	if _, err := s.pool.Exec(t.Context(), `SELECT nothing`); err == nil || s.Unavailable(err) {
		t.Errorf("the query makes no sense, and %v", err)
	}
	if _, err := s.Study(t.Context(), "none"); err == nil || s.Unavailable(err) {
		t.Errorf("there is no such study, and %v", err)
	}
	nowhere, err := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/x")
	if err != nil {
		t.Fatal(err)
	}
	defer nowhere.Close()
	lost := newStore(nowhere)
	if _, err := lost.Study(t.Context(), "none"); !lost.Unavailable(err) {
		t.Errorf("there is no server, and %v", err)
	}
	nowhere.Close()
	for code, passes := range map[string]bool{
		"53100": true, "53300": true, "57P01": true, "57P03": true, "08006": true, "58030": true, "25006": true,
		"57014": false, "23505": false, "42601": false, "22P02": false, "XX001": false,
	} {
		if s.Unavailable(&pgconn.PgError{Code: code}) != passes {
			t.Errorf("%s: %v", code, !passes)
		}
	}
}

// TestUnavailableInTheMiddle: a transaction whose connection is lost has written nothing, and the next one works.
func TestUnavailableInTheMiddle(t *testing.T) {
	s, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := time.Now()
	if err := s.Create(t.Context(), study.Study{ID: "a", Version: 1, State: study.Open, Created: now}, nil); err != nil {
		t.Fatal(err)
	}
	blocker, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blocker.Exec(t.Context(), `LOCK TABLE outcomes IN EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	answer := study.Outcome{Kind: study.Answered, Shown: []int{0, 1}, Picks: []int{0}, At: now}
	failed := make(chan error)
	go func() {
		_, err := s.Record(t.Context(), "a", study.NoLimit, answer)
		failed <- err
	}()
	for ended := false; !ended; time.Sleep(time.Millisecond) {
		if err := s.pool.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) > 0 FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&ended); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-failed; !s.Unavailable(err) {
		t.Errorf("the connection was ended, and %v", err)
	}
	if err := blocker.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if refused, err := s.Record(t.Context(), "a", study.NoLimit, answer); err != nil || refused[0] != nil {
		t.Errorf("%v, %v", refused, err)
	}
}

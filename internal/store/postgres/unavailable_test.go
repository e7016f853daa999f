package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/store/storetest"
	"bestpick/internal/study"
)

// TestClassify: a lost connection may pass; an invalid query does not, nor does an unknown study.
func TestClassify(t *testing.T) {
	s, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.pool.Exec(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`); !unavailable(classify(err)) {
		t.Errorf("the connection was ended, and %v", err)
	}
	if _, err := s.List(t.Context(), "", 1); err != nil {
		t.Errorf("there are other connections, but %v", err)
	}
	if _, err := s.pool.Exec(t.Context(), `SELECT nothing`); err == nil || unavailable(classify(err)) {
		t.Errorf("the query makes no sense, and %v", err)
	}
	if _, err := s.Study(t.Context(), "none"); err == nil || unavailable(err) {
		t.Errorf("there is no such study, and %v", err)
	}
	for code, passes := range map[string]bool{
		"53100": true, "53300": true, "57P01": true, "57P03": true, "08006": true, "58030": true, "25006": true,
		"57014": false, "23505": false, "42601": false, "22P02": false, "XX001": false,
	} {
		if unavailable(classify(&pgconn.PgError{Code: code})) != passes {
			t.Errorf("%s: %v", code, !passes)
		}
	}
}

// TestCancelled: a call whose context is cancelled between two statements of a transaction is no
// outage.
func TestCancelled(t *testing.T) {
	s, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = s.transact(ctx, func(tx pgx.Tx) error {
		cancel()
		_, err := tx.Exec(ctx, `SELECT 1`)
		return err
	})
	if !errors.Is(err, context.Canceled) || unavailable(err) {
		t.Errorf("%v", err)
	}
}

func unavailable(err error) bool { return errors.Is(err, study.ErrUnavailable) }

// TestUnavailable: no operation works without a server, and each may work later.
func TestUnavailable(t *testing.T) {
	nowhere, err := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/x")
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(nowhere)
	s.outcomes = sqlstore.NewWriter(s.write)
	defer s.Close()
	storetest.Unavailable(t, s)
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
	if err := <-failed; !unavailable(err) {
		t.Errorf("the connection was ended, and %v", err)
	}
	if err := blocker.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if refused, err := s.Record(t.Context(), "a", study.NoLimit, answer); err != nil || refused[0] != nil {
		t.Errorf("%v, %v", refused, err)
	}
}

package sweep_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/sweep"
	"bestpick/internal/testpostgres"
	"bestpick/internal/testsupport"
)

var server = testpostgres.New()

func TestMain(m *testing.M) {
	code := m.Run()
	if err := server.Stop(); err != nil {
		log.Fatal(err)
	}
	os.Exit(code)
}

func openQueue(t *testing.T, url, version string) *sweep.Queue {
	t.Helper()
	q := testsupport.Value(sweep.OpenQueue(t.Context(), url, version)).OrFail(t)
	t.Cleanup(q.Close)
	return q
}

// work starts a worker, which ends with the test.
func work(t *testing.T, q *sweep.Queue, execute sweep.Executor) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if err := q.Work(ctx, 2, execute, slog.New(slog.DiscardHandler)); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		testsupport.Wait(t, "group", group.Wait)
	})
}

// square executes a run: the result is the square of its number, after the text of the sweep.
func square(_ context.Context, spec []byte, run json.RawMessage) (json.RawMessage, error) {
	var number int
	if err := json.Unmarshal(run, &number); err != nil {
		return nil, err
	}
	return json.Marshal(fmt.Sprintf("%s%d", spec, number*number))
}

func numbers(n int) []json.RawMessage {
	var runs []json.RawMessage
	for i := range n {
		runs = append(runs, json.RawMessage(strconv.Itoa(i)))
	}
	return runs
}

// leftovers counts the rows that a finished sweep must not leave.
func leftovers(t *testing.T, url string) (count int) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	testsupport.NoError(t, err)
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	err = db.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM bestpick_sweeps.river_job) +
		(SELECT count(*) FROM bestpick_sweeps.sweep) + (SELECT count(*) FROM bestpick_sweeps.result)`).Scan(&count)
	testsupport.NoError(t, err)
	return count
}

// TestStuckWorker: runs that a worker took and never ends are executed by another one. Workers of other versions take none.
// Every result is passed on once, and nothing is left.
func TestStuckWorker(t *testing.T) {
	url := server.Database(t)
	work(t, openQueue(t, url, "2"), func(context.Context, []byte, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("this worker has another version")
	})
	var stuck sync.WaitGroup
	stuck.Add(2)
	work(t, openQueue(t, url, "1"), func(ctx context.Context, _ []byte, _ json.RawMessage) (json.RawMessage, error) {
		stuck.Done()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	q := openQueue(t, url, "1")
	results := map[int]string{}
	work(t, q, func(ctx context.Context, spec []byte, run json.RawMessage) (json.RawMessage, error) {
		testsupport.Wait(t, "stuck", stuck.Wait)
		return square(ctx, spec, run)
	})
	err := q.Execute(t.Context(), sweep.Work{
		Spec: []byte("square "), Runs: numbers(50),
		Done: func(run int, result json.RawMessage) error {
			if results[run] != "" {
				t.Errorf("run %d has two results", run)
			}
			results[run] = string(result)
			return nil
		},
		Idle: func() { t.Error("a worker was stuck, not idle") },
	})
	testsupport.NoError(t, err)
	for i := range 50 {
		if want := fmt.Sprintf("%q", fmt.Sprintf("square %d", i*i)); results[i] != want {
			t.Errorf("run %d: got %s, want %s", i, results[i], want)
		}
	}
	if n := leftovers(t, url); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// TestFailedRun: the error of a run ends the sweep, and nothing is left.
func TestFailedRun(t *testing.T) {
	url := server.Database(t)
	q := openQueue(t, url, "1")
	work(t, q, func(_ context.Context, _ []byte, run json.RawMessage) (json.RawMessage, error) {
		return nil, fmt.Errorf("run %s is impossible", run)
	})
	err := q.Execute(t.Context(), sweep.Work{Spec: []byte("x"), Runs: numbers(1), Done: func(int, json.RawMessage) error { return nil }})
	if err == nil || !strings.Contains(err.Error(), "a worker could not execute a run: run 0 is impossible") {
		t.Errorf("got %v", err)
	}
	if n := leftovers(t, url); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// TestInterrupted: a sweep without workers says so, and leaves nothing when it is interrupted.
func TestInterrupted(t *testing.T) {
	url := server.Database(t)
	q := openQueue(t, url, "1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := q.Execute(ctx, sweep.Work{Spec: []byte("x"), Runs: numbers(3), Idle: cancel, Done: func(int, json.RawMessage) error { return nil }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := leftovers(t, url); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

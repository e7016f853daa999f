package sweep_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
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
	err := q.Execute(t.Context(), sweep.Work{
		Spec: []byte("x"), Runs: numbers(1),
		Done: func(int, json.RawMessage) error { return nil },
	})
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
	err := q.Execute(ctx, sweep.Work{
		Spec: []byte("x"), Runs: numbers(3), Idle: cancel,
		Done: func(int, json.RawMessage) error { return nil },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := leftovers(t, url); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

type run struct{ Number int }

func open(t *testing.T, path, header string, shard sweep.Shard) (*sweep.Folder[run], error) {
	t.Helper()
	f, err := sweep.Open(path, header, shard, func(r run) bool { return r.Number > 0 })
	if err == nil {
		t.Cleanup(f.Close)
	}
	return f, err
}

// TestFolder: a shard sees the complete runs of all shards, appends to its own file, and leaves the others alone even if
// they are being written.
func TestFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "sweep")
	first, err := open(t, path, "h", sweep.Shard{Index: 0, Count: 2})
	testsupport.NoError(t, err)
	testsupport.NoError(t, first.Save(run{1}))
	file := filepath.Join(path, "runs-0-of-2.jsonl")
	before, err := os.ReadFile(file)
	testsupport.NoError(t, err)
	before = append(before, `{"Num`...)
	writing, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	testsupport.NoError(t, err)
	if _, err := writing.WriteString(`{"Num`); err != nil {
		t.Fatal(err)
	}
	_ = writing.Close()
	whole, err := open(t, path, "h", sweep.Shard{})
	testsupport.NoError(t, err)
	testsupport.NoError(t, whole.Save(run{2}))
	if runs := whole.Runs(); len(runs) != 2 || runs[0] != (run{1}) || runs[1] != (run{2}) {
		t.Errorf("got runs %v", runs)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file of the other shard became %q, %v", after, err)
	}
	first.Close()
	again, err := open(t, path, "h", sweep.Shard{Index: 0, Count: 2})
	testsupport.NoError(t, err)
	testsupport.NoError(t, again.Save(run{3}))
	if after, err := os.ReadFile(file); err != nil ||
		string(after) != strings.TrimSuffix(string(before), `{"Num`)+"{\"Number\":3}\n" {
		t.Errorf("the own file became %q, %v", after, err)
	}
	if _, err := open(t, path, "other", sweep.Shard{Index: 1, Count: 2}); err == nil ||
		!strings.Contains(err.Error(), `these are runs of "h", not of "other"`) {
		t.Errorf("another sweep: %v", err)
	}
}

func TestShard(t *testing.T) {
	for _, text := range []string{"", "/", "1", "1/1", "-1/2", "2/2", "a/2", "0/0", "1/2/3", "0 /2"} {
		var s sweep.Shard
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, s)
		}
	}
	seen := map[int]int{}
	for _, text := range []string{"0/3", "1/3", "2/3"} {
		var s sweep.Shard
		testsupport.NoError(t, s.UnmarshalText([]byte(text)))
		for number := range 20 {
			if s.Has(number) {
				seen[number]++
			}
		}
	}
	for number := range 20 {
		if seen[number] != 1 || !(sweep.Shard{}).Has(number) {
			t.Errorf("run %d belongs to %d shards", number, seen[number])
		}
	}
}

package endtoend

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"bestpick/internal/testsupport"
)

// TestSweep: workers of which two are killed execute a sweep as one machine does, and leave nothing in the queue.
func TestSweep(t *testing.T) { sweepOnWorkers(t, 150) }

// sweepOnWorkers executes runs on this machine, and on four workers of which two are killed. It compares the results.
func sweepOnWorkers(t *testing.T, runs int) {
	t.Helper()
	sweep := []string{"simulate", "--instance", "sphere", "--n", "10", "--d", "3", "--max-questions", "200", "--runs", strconv.Itoa(runs), "--json", "--quiet"}
	want := reportOf(t, sweep)
	database := postgresDatabase(t).database
	var workers []*exec.Cmd
	for range 4 {
		worker := exec.CommandContext(testsupport.Limited(t), program, "worker", "--database", database, "--workers", "1") //nolint:gosec // the program under test
		testsupport.NoError(t, worker.Start())
		workers = append(workers, worker)
	}
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		waitForResults(t, database)
		for _, worker := range workers[:2] {
			_ = worker.Process.Kill()
			_ = worker.Wait()
		}
	}()
	got := reportOf(t, append(sweep, "--queue", database))
	testsupport.Receive(t, "the kill of a worker", killed)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("one machine (-) and the workers (+) have different results:\n%s", diff)
	}
	if n := countOf(t, database, "SELECT (SELECT count(*) FROM bestpick_sweeps.river_job) + (SELECT count(*) FROM bestpick_sweeps.sweep)"); n != 0 {
		t.Errorf("%d jobs are left", n)
	}
}

// reportOf returns the report of a simulation without the time that it took.
func reportOf(t *testing.T, arguments []string) map[string]any {
	t.Helper()
	var errOut bytes.Buffer
	command := exec.CommandContext(testsupport.Limited(t), program, arguments...) //nolint:gosec // the program under test
	command.Stderr = &errOut
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &errOut)
	}
	var report map[string]any
	testsupport.NoError(t, json.Unmarshal(out, &report))
	delete(report, "seconds")
	return report
}

// waitForResults waits until workers have completed some runs, so that the others are executed right now.
func waitForResults(t *testing.T, database string) {
	t.Helper()
	for t.Context().Err() == nil && countOf(t, database, "SELECT count(*) FROM bestpick_sweeps.river_job WHERE state = 'completed'") < 8 {
		time.Sleep(20 * time.Millisecond)
	}
}

// countOf returns the number that a query returns, 0 if a table does not exist yet.
func countOf(t *testing.T, database, query string) (count int) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	if err := db.QueryRow(t.Context(), query).Scan(&count); err != nil {
		return 0
	}
	return count
}

package endtoend

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestReplicas: two processes share a PostgreSQL database, one of them through PgBouncer in transaction mode. Fifty people
// answer, and one process is killed midway. The study is certified with the best arm, and no answer is lost or counted twice.
func TestReplicas(t *testing.T) {
	at := postgresDatabase(t)
	first := start(t, at, "")
	pooled := at
	pooled.database = at.server.Pooled(t)(at.database) + "&default_query_exec_mode=exec"
	second := start(t, pooled, first.Token, "--db-connections", "8")
	world := someArms(t, 10, 0.15, 4)
	id := world.newStudy(t, first.Client, wire.Settings{K: 3, Grace: -1, Delta: 1e-6}) // long enough to kill a process meanwhile
	crowd := &people{
		studies: map[string]truth{id: world}, duplicate: 0.05, abandon: 0.02, delay: 20 * time.Millisecond,
		acknowledged: map[string]said{},
	}
	var turn atomic.Int64
	crowd.reach = func(int) *client.Client { // any process, like a load balancer
		return []*client.Client{first.Client, second.Client}[turn.Add(1)%2]
	}
	var verdict wire.Verdict
	reached := func(enough func() bool) {
		eventually(t, "the study goes on", 2*time.Minute, func() bool {
			var err error
			verdict, err = second.Verdict(t.Context(), id)
			testsupport.NoError(t, err)
			return enough()
		})
	}
	crowd.during(t, 50, "r", func() {
		reached(func() bool { return verdict.Answers >= 30 })
		if verdict.State == wire.StateDone {
			t.Fatal("the study was over before a process was killed")
		}
		first.kill()
		reached(func() bool { return verdict.State == wire.StateDone })
	})
	if verdict.Reason != "certified" || verdict.Leader.ID != world.best {
		t.Errorf("%+v, the best arm is %s", verdict, world.best)
	}
	verified(t, second.Client, id)
	second.stop(t)
	t.Logf("%d answers, certified with %d", crowd.checked(t, at), verdict.Answers)
}

// TestOwnRole: the SQL statements in docs/scale-out.md create a role and a database with which
// bestpick runs, and the pool has the size given in the address.
func TestOwnRole(t *testing.T) {
	const pool = 2
	at := postgresDatabase(t)
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(contents(t, "../../docs/scale-out.md")), -1)
	if len(blocks) != 1 {
		t.Fatalf("docs/scale-out.md has %d blocks of SQL, want 1", len(blocks))
	}
	db := testsupport.Value(sql.Open("pgx", at.database)).OrFail(t)
	defer db.Close()
	for statement := range strings.Lines(blocks[0][1]) {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	address := regexp.MustCompile(`/test\d+\?user=postgres&`).ReplaceAllString(at.database,
		"/bestpick?user=bestpick&pool_max_conns=2&")
	if address == at.database {
		t.Fatal(at.database)
	}
	s := try(t, databaseAt(address, at.server), 1)
	s.round(func() {
		if all, _ := at.server.Connections(t, address); all < 1 || all > pool+2 { // two listen
			t.Errorf("got %d connections, want at most %d", all, pool+2)
		}
	})
	for _, p := range s.processes {
		p.stop(t)
	}
}

// TestSweep: workers of which two are killed execute a sweep as one machine does, and leave nothing in the queue.
func TestSweep(t *testing.T) { sweepOnWorkers(t, 60) }

// sweepOnWorkers executes runs on this machine, and on four workers of which two are killed. It compares the results.
func sweepOnWorkers(t *testing.T, runs int) {
	t.Helper()
	sweep := []string{
		"simulate", "--instance", "sphere", "--n", "10", "--d", "3", "--max-questions", "200", "--runs",
		strconv.Itoa(runs), "--json", "--quiet",
	}
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
	for t.Context().Err() == nil && countOf(t, database,
		"SELECT count(*) FROM bestpick_sweeps.river_job WHERE state = 'completed'") < 8 {
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

package sweep

import (
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"bestpick/internal/jobs"
)

// The pace of a command that waits for results.
const (
	pollEvery   = 200 * time.Millisecond
	firstRepeat = 5 * time.Second // after which a run is queued again if no run waits; doubled each time
	insertBatch = 5_000
	repeatsLast = 4 // River's lowest priority
)

// Work is what [Queue.Execute] executes.
type Work struct {
	Spec []byte            // passed to the workers' [Executor]
	Runs []json.RawMessage // likewise

	Done func(run int, result json.RawMessage) error // called once for each of the Runs, one call at a time, in any order
	Idle func()                                      // called once if no worker takes a run
}

// Execute has workers execute a sweep. It returns when every run is done or one failed, with the error of that run or of
// Done, or when ctx is done. Its jobs are deleted then.
func (q *Queue) Execute(ctx context.Context, s Work) error {
	var id int64
	if err := q.pool.QueryRow(ctx, "INSERT INTO bestpick_sweeps.sweep (spec) VALUES ($1) RETURNING id",
		s.Spec).Scan(&id); err != nil {
		return err
	}
	defer q.remove(context.WithoutCancel(ctx), id)
	client, err := river.NewClient(riverpgxv5.New(q.pool), &river.Config{Schema: schema})
	if err != nil {
		return err
	}
	e := &execution{Work: s, q: q, id: id, client: client, open: map[int]repeat{}, started: time.Now()}
	var all []int
	for i := range s.Runs {
		all = append(all, i)
		e.open[i] = repeat{due: e.started.Add(firstRepeat), wait: firstRepeat}
	}
	if err := e.insert(ctx, all, 1); err != nil {
		return err
	}
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for len(e.open) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		if err := e.poll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a sweep with its jobs and results. What it cannot delete is deleted as abandoned later.
func (q *Queue) remove(ctx context.Context, id int64) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, _ = q.pool.Exec(ctx, "DELETE FROM bestpick_sweeps.sweep WHERE id = $1", id)
	_, _ = q.pool.Exec(ctx, "DELETE FROM bestpick_sweeps.river_job WHERE kind = 'run' AND (args->>'sweep')::bigint = $1", id)
}

// An execution is a sweep that is being executed.
type execution struct {
	Work

	q       *Queue
	id      int64
	client  *river.Client[pgx.Tx]
	open    map[int]repeat // the runs without a result
	started time.Time
	told    bool // that no worker takes a run
}

// A repeat says when an unfinished run is queued again.
type repeat struct {
	due  time.Time
	wait time.Duration
}

func (e *execution) insert(ctx context.Context, runs []int, priority int) error {
	for len(runs) > 0 {
		batch := runs[:min(insertBatch, len(runs))]
		runs = runs[len(batch):]
		var jobs []river.InsertManyParams
		for _, i := range batch {
			jobs = append(jobs, river.InsertManyParams{
				Args:       task{e.id, i, e.Runs[i]},
				InsertOpts: &river.InsertOpts{Queue: e.q.name, Priority: priority},
			})
		}
		if _, err := e.client.InsertManyFast(ctx, jobs); err != nil {
			return err
		}
	}
	return nil
}

// poll takes new results and queues runs again.
func (e *execution) poll(ctx context.Context) error {
	if err := e.takeResults(ctx); err != nil || len(e.open) == 0 {
		return err
	}
	var waiting, running bool
	err := e.q.pool.QueryRow(ctx, `SELECT
		EXISTS (SELECT FROM bestpick_sweeps.river_job WHERE state = 'available' AND queue = $1),
		EXISTS (SELECT FROM bestpick_sweeps.river_job WHERE state = 'running' AND queue = $1)`, e.q.name).Scan(&waiting, &running)
	if err != nil {
		return err
	}
	if waiting && !running && !e.told && e.Idle != nil && time.Since(e.started) > firstRepeat {
		e.told = true
		e.Idle()
	}
	if waiting {
		return nil
	}
	return e.repeat(ctx, time.Now())
}

// takeResults passes new results to Done, and deletes them.
func (e *execution) takeResults(ctx context.Context) error {
	rows, err := e.q.pool.Query(ctx, `WITH alive AS (UPDATE bestpick_sweeps.sweep SET seen = now() WHERE id = $1)
		DELETE FROM bestpick_sweeps.result WHERE sweep = $1 RETURNING run, result, failure`, e.id)
	if err != nil {
		return err
	}
	var run int
	var result, failure string
	_, err = pgx.ForEachRow(rows, []any{&run, &result, &failure}, func() error {
		if _, unknown := e.open[run]; !unknown {
			return nil
		}
		delete(e.open, run)
		if failure != "" {
			return fmt.Errorf("a worker could not execute a run: %s", failure)
		}
		return e.Done(run, json.RawMessage(result))
	})
	return err
}

// repeat queues the unfinished runs again that are due.
func (e *execution) repeat(ctx context.Context, now time.Time) error {
	var due []int
	for run, r := range e.open {
		if now.After(r.due) {
			due = append(due, run)
			e.open[run] = repeat{due: now.Add(2 * r.wait), wait: 2 * r.wait}
		}
	}
	return e.insert(ctx, due, repeatsLast)
}

// schema has the tables of River and those of schema.sql.
const schema = "bestpick_sweeps"

//go:embed schema.sql
var tables string

// A Queue executes the runs of a sweep on any number of machines, as jobs of River in a PostgreSQL database. It has the
// runs of one version of the program. Safe for concurrent use.
//
// The command that wants the results calls [Queue.Execute]; workers call [Queue.Work]. Runs are deterministic, so it does
// no harm to execute one twice. That replaces timeouts: when no run waits, the runs that take longest are queued again,
// at a low priority. If a worker was killed, another one executes its runs.
type Queue struct {
	pool *pgxpool.Pool
	name string // of River's queue
}

// A task is a run of a sweep, as the arguments of a job.
type task struct {
	Sweep int64           `json:"sweep"`
	Index int             `json:"index"` // among the runs that were passed to Execute
	Run   json.RawMessage `json:"run"`
}

// Kind identifies the jobs.
func (task) Kind() string { return "run" }

// OpenQueue connects to a PostgreSQL database and creates the tables of the queue if needed. Workers execute the runs of their
// own version only.
func OpenQueue(ctx context.Context, url, version string) (*Queue, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(version)) // never fails
	return &Queue{pool, "runs_" + hex.EncodeToString(sum.Sum(nil))}, nil
}

// Close closes the connections.
func (q *Queue) Close() { q.pool.Close() }

// migrate creates or updates the tables, and deletes abandoned sweeps.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if err := jobs.MigrateRiver(ctx, pool, schema); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", schema); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, tables)
		return err
	})
}

// An Executor executes a run of a sweep and returns its result. It is called concurrently.
type Executor func(ctx context.Context, spec []byte, run json.RawMessage) (json.RawMessage, error)

// abandoned is how long the command of a sweep may be silent before workers leave its runs alone.
const abandoned = time.Minute

// Work executes runs, a number of them at a time, until ctx is done. Other workers then execute the unfinished ones.
func (q *Queue) Work(ctx context.Context, parallel int, execute Executor, log *slog.Logger) error {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{q: q, execute: execute})
	client, err := river.NewClient(riverpgxv5.New(q.pool), &river.Config{
		Schema: schema, Queues: map[string]river.QueueConfig{q.name: {MaxWorkers: parallel}}, Workers: workers,
		JobTimeout: -1, FetchCooldown: 10 * time.Millisecond, CompletedJobRetentionPeriod: 10 * time.Minute, Logger: log,
	})
	if err != nil {
		return err
	}
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	<-ctx.Done()
	return client.StopAndCancel(context.WithoutCancel(ctx))
}

type worker struct {
	river.WorkerDefaults[task]

	q       *Queue
	execute Executor
}

// Work executes a run, unless the sweep ended or was abandoned, and saves its result.
func (w *worker) Work(ctx context.Context, job *river.Job[task]) error {
	var spec []byte
	err := w.q.pool.QueryRow(ctx, "SELECT spec FROM bestpick_sweeps.sweep WHERE id = $1 AND seen > now() - $2::interval",
		job.Args.Sweep, abandoned).Scan(&spec)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	failure := ""
	result, err := w.execute(ctx, spec, job.Args.Run)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		failure = err.Error()
	}
	return pgx.BeginFunc(ctx, w.q.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO bestpick_sweeps.result (sweep, run, result, failure)
			SELECT id, $2, $3, $4 FROM bestpick_sweeps.sweep WHERE id = $1 FOR KEY SHARE ON CONFLICT DO NOTHING`,
			job.Args.Sweep, job.Args.Index, string(result), failure)
		if err != nil {
			return err
		}
		_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
}

package sweep

import (
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/fnv"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"bestpick/internal/jobs"
)

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

package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

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

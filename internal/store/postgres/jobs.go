package postgres

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"bestpick/internal/jobs"
)

// jobSchema has the tables of River for jobs. Other programs may use River in the same database.
const jobSchema = "bestpick_jobs"

// A task is a job as River stores it.
type task struct {
	Job  string `json:"job"` // its kind
	Args string `json:"args"`
}

// Kind is the same for all jobs, so that every process can rescue each.
func (task) Kind() string { return "bestpick" }

// AddJob adds a job.
func (s *Store) AddJob(ctx context.Context, j jobs.Job) error {
	client := s.jobs.Load() // it wakes the workers of this process
	if client == nil {
		var err error
		if client, err = river.NewClient(riverpgxv5.New(s.pool), &river.Config{Schema: jobSchema, Logger: slog.New(slog.DiscardHandler)}); err != nil {
			return err
		}
	}
	options := &river.InsertOpts{MaxAttempts: math.MaxInt16, UniqueOpts: river.UniqueOpts{ByArgs: true}}
	if j.Delay > 0 {
		options.ScheduledAt = time.Now().Add(j.Delay)
	}
	_, err := client.Insert(ctx, task{j.Kind, j.Args}, options)
	return classify(err)
}

// RemoveJob removes a job.
func (s *Store) RemoveJob(ctx context.Context, kind, args string) error {
	_, err := querier{s.pool}.Exec(ctx, `DELETE FROM `+jobSchema+`.river_job WHERE args = jsonb_build_object('job', $1::text, 'args', $2::text)`, kind, args)
	return err
}

// RunJobs runs jobs. It polls, because PgBouncer in transaction mode does not support LISTEN.
func (s *Store) RunJobs(ctx context.Context, w jobs.Workers) {
	w.Lease = cmp.Or(w.Lease, jobs.Lease)
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	for {
		client, err := s.startJobs(running, w)
		if err == nil {
			defer s.stopJobs(ctx, client, cancel)
			break
		}
		w.Log.Error("background jobs do not start; that is retried", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(jobs.ShortestWait):
		}
	}
	<-ctx.Done()
}

func (s *Store) startJobs(ctx context.Context, w jobs.Workers) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &jobWorker{store: s, workers: w, running: ctx})
	client, err := river.NewClient(riverpgxv5.New(s.pool), &river.Config{
		Schema: jobSchema, Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: jobs.AtOnce}},
		PollOnly: true, FetchPollInterval: jobs.Poll, RetryPolicy: retryPolicy{},
		JobTimeout: w.Lease / 2, RescueStuckJobsAfter: w.Lease, JobStuckThreshold: math.MaxInt64 / 2, // never: leases are prolonged
		Logger: slog.New(&jobLog{Handler: w.Log.Handler()}),
	})
	if err != nil {
		return nil, err
	}
	if err := client.Start(ctx); err != nil {
		return nil, err
	}
	s.jobs.Store(client)
	return client, nil
}

// stopJobs waits for running jobs, and cancels slow jobs.
func (s *Store) stopJobs(ctx context.Context, client *river.Client[pgx.Tx], cancel context.CancelFunc) {
	s.jobs.CompareAndSwap(client, nil)
	for _, stop := range []func(context.Context) error{client.Stop, client.StopAndCancel} {
		limited, end := context.WithTimeout(context.WithoutCancel(ctx), jobs.Patience)
		err := stop(limited)
		end()
		if err == nil {
			return
		}
		cancel()
	}
}

// A retryPolicy retries failed and rescued jobs with backoff.
type retryPolicy struct{}

// NextRetry returns when a job runs again.
func (retryPolicy) NextRetry(job *rivertype.JobRow) time.Time {
	return time.Now().Add(jobs.Wait(job.Attempt))
}

// A jobWorker does the jobs of River.
type jobWorker struct {
	river.WorkerDefaults[task]

	store   *Store
	workers jobs.Workers
	running context.Context //nolint:containedctx // ends with the workers
}

// errRetried is stored in River's row instead of the error, which is logged.
var errRetried = errors.New("the job failed")

// Work does a job, and deletes it when it is done: its arguments may name a respondent.
func (w *jobWorker) Work(_ context.Context, job *river.Job[task]) error {
	return w.do(w.running, job) //nolint:contextcheck // River's context would end with the lease
}

func (w *jobWorker) do(ctx context.Context, job *river.Job[task]) error {
	ctx, release := context.WithCancel(ctx)
	defer release()
	go w.prolong(ctx, job.ID)
	err := w.workers.Work(ctx, job.Args.Job, job.Args.Args)
	if again, is := errors.AsType[jobs.AgainError](err); is {
		return river.JobSnooze(max(0, time.Until(again.At)))
	}
	if err != nil {
		return errRetried
	}
	return w.store.RemoveJob(context.WithoutCancel(ctx), job.Args.Job, job.Args.Args)
}

// prolong prolongs the lease of a job until ctx ends.
func (w *jobWorker) prolong(ctx context.Context, id int64) {
	const often = 4 // times during a lease
	ticker := time.NewTicker(w.workers.Lease / often)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_, _ = w.store.pool.Exec(ctx, `UPDATE `+jobSchema+`.river_job SET attempted_at = $1 WHERE id = $2 AND state = 'running'`, time.Now(), id)
		}
	}
}

// A jobLog passes River's warnings on, at most one in ten seconds: while the database is unavailable, every poll fails.
// River logs no arguments of jobs.
type jobLog struct {
	slog.Handler

	next atomic.Int64 // time of the next record, in nanoseconds
}

// Enabled reports whether a level is logged.
func (l *jobLog) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && l.Handler.Enabled(ctx, level)
}

// Handle logs a record.
func (l *jobLog) Handle(ctx context.Context, r slog.Record) error {
	next := l.next.Load()
	if now := time.Now().UnixNano(); now < next || !l.next.CompareAndSwap(next, now+int64(jobs.ShortestWait)) {
		return nil
	}
	return l.Handler.Handle(ctx, r)
}

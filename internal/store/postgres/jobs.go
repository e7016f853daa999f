package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"bestpick/internal/jobs"
)

// jobSchema has the tables of River for jobs. Other programs may use River in the same database.
const jobSchema = "bestpick_jobs"

// The pace of River.
const (
	// erasureTimeout is how long an erasure may run before it is canceled and retried. Longer than the largest study
	// takes; only if a process is killed that resumes an erasure, the next attempt waits that long.
	erasureTimeout = 30 * time.Minute

	// jobRetention is how long River keeps a job that is done. The arguments of an erasure name the respondent.
	jobRetention = time.Minute

	jobPoll     = 5 * time.Second // beside notifications
	jobPollOnly = time.Second     // instead of notifications
)

// adding returns a client of River that adds and removes jobs.
func (s *Store) adding() (*river.Client[pgx.Tx], error) {
	return river.NewClient(riverpgxv5.New(s.pool), &river.Config{Schema: jobSchema, Logger: slog.New(slog.DiscardHandler)})
}

// AddJob adds a job.
func (s *Store) AddJob(ctx context.Context, args jobs.Args, delay time.Duration) error {
	client, err := s.adding()
	if err != nil {
		return err
	}
	options := &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning,
		rivertype.JobStateScheduled,
	}}}
	if delay > 0 {
		options.ScheduledAt = time.Now().Add(delay)
	}
	_, err = client.Insert(ctx, args, options)
	return classify(err)
}

// RemoveJob removes a job.
func (s *Store) RemoveJob(ctx context.Context, args jobs.Args) error {
	client, err := s.adding()
	if err != nil {
		return err
	}
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	one := river.NewJobDeleteManyParams().Kinds(args.Kind()).Where("args = @args::jsonb", river.NamedArgs{"args": string(text)})
	_, err = client.JobDeleteMany(ctx, one)
	return classify(err)
}

// RunJobs runs jobs.
func (s *Store) RunJobs(ctx context.Context, w jobs.Workers) {
	lease := cmp.Or(w.Lease, jobs.Lease)
	workers := river.NewWorkers()
	river.AddWorker(workers, &jobWorker[jobs.Delivery]{work: w.Deliver})
	river.AddWorker(workers, &jobWorker[jobs.Erasure]{work: w.Erase, timeout: erasureTimeout})
	pooled, poll := isPooled(s.pool.Config()), jobPoll
	if pooled {
		poll = jobPollOnly
	}
	config := &river.Config{
		Schema: jobSchema, Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: jobs.AtOnce}},
		PollOnly: pooled, FetchPollInterval: poll, JobTimeout: lease / 2, RescueStuckJobsAfter: lease,
		CompletedJobRetentionPeriod: jobRetention, SoftStopTimeout: jobs.Patience,
		Logger: slog.New(warnings{w.Log.Handler()}), ErrorHandler: jobErrors{w.Log},
	}
	for {
		client, err := river.NewClient(riverpgxv5.New(s.pool), config)
		if err == nil {
			err = client.Start(ctx)
		}
		if err == nil {
			<-client.Stopped()
			return
		}
		w.Log.Error("background jobs do not start; that is retried", "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(jobs.MinWait):
		}
	}
}

// A jobWorker does the jobs of one kind.
type jobWorker[T jobs.Args] struct {
	river.WorkerDefaults[T]

	work    func(ctx context.Context, args T) error
	timeout time.Duration // 0: the default
}

// Work does a job.
func (w *jobWorker[T]) Work(ctx context.Context, job *river.Job[T]) error {
	err := w.work(ctx, job.Args)
	if again, is := errors.AsType[jobs.AgainError](err); is {
		return river.JobSnooze(max(0, time.Until(again.At)))
	}
	return err
}

// Timeout returns after which time the context of a job ends.
func (w *jobWorker[T]) Timeout(*river.Job[T]) time.Duration { return w.timeout }

// jobErrors logs failed attempts, without the arguments of jobs.
type jobErrors struct{ log *slog.Logger }

// HandleError logs the error of a worker.
func (e jobErrors) HandleError(_ context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	e.log.Error("a background job failed; it is retried", "job", job.Kind, "error", err)
	return nil
}

// HandlePanic logs the panic of a worker.
func (e jobErrors) HandlePanic(_ context.Context, job *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	e.log.Error("a background job panicked; it is retried", "job", job.Kind, "error", value, "trace", trace)
	return nil
}

// warnings passes warnings and errors of River on, in our words. They contain no arguments of jobs.
type warnings struct{ slog.Handler }

// Handle passes a record on, with its message as an attribute.
func (l warnings) Handle(ctx context.Context, r slog.Record) error {
	ours := slog.NewRecord(r.Time, r.Level, "background jobs are disturbed; they are retried", r.PC)
	ours.AddAttrs(slog.String("reason", r.Message))
	r.Attrs(func(a slog.Attr) bool {
		ours.AddAttrs(a)
		return true
	})
	return l.Handler.Handle(ctx, ours)
}

// Enabled reports whether a level is logged.
func (l warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && l.Handler.Enabled(ctx, level)
}

// Package jobs defines background work that is done at least once, even if the process that does it is killed.
package jobs

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Args are the arguments of a job of one kind, which JSON encodes. A kind is also the name of its worker.
type Args interface{ Kind() string }

// A Delivery is the job that delivers the webhook of a study.
type Delivery struct {
	Study    string `json:"study"`
	Delivery string `json:"delivery"` // a hook that is set again has another one
}

// Kind returns the kind of job.
func (Delivery) Kind() string { return "webhook" }

// An Erasure is the job that erases a respondent, or removes the names of all.
type Erasure struct {
	Study      string `json:"study"`
	Respondent string `json:"respondent"` // empty for all
}

// Kind returns the kind of job.
func (Erasure) Kind() string { return "erasure" }

// A Queue stores jobs. Safe for concurrent use, from several processes.
type Queue interface {
	// AddJob adds a job that is due after a delay. If the queue has a job with the same arguments that is not done,
	// AddJob does nothing.
	AddJob(ctx context.Context, args Args, delay time.Duration) error

	// RemoveJob removes a job that was done in another way, unless it runs. It is idempotent.
	RemoveJob(ctx context.Context, args Args) error

	// RunJobs runs jobs that are due, each in one process at a time, until ctx ends. Then it waits for running
	// jobs, at most for [Patience], and cancels the others, which any process runs again.
	RunJobs(ctx context.Context, w Workers)
}

// The pace of queues.
const (
	AtOnce   = 4                // concurrent jobs of a process, so that slow ones do not delay others
	Lease    = time.Minute      // after which a delivery runs again if its process was killed
	Patience = 15 * time.Second // of a process that stops, for running jobs
)

// Workers run the jobs of a process. They return nil, an error, after which the job is retried with backoff, or an
// [AgainError].
type Workers struct {
	Deliver func(ctx context.Context, d Delivery) error
	Erase   func(ctx context.Context, e Erasure) error
	Log     *slog.Logger  // receives failures, without the arguments of jobs
	Lease   time.Duration // Defaults to [Lease].
}

// AgainError is the error of a worker that runs the job again at a time of its choice. That is no failure.
type AgainError struct{ At time.Time }

func (a AgainError) Error() string { return "the job runs again at " + a.At.Format(time.RFC3339) }

// The backoff after failures.
const (
	MinWait = 10 * time.Second
	MaxWait = time.Hour
)

// Wait returns the backoff after a number of failed attempts: exponential, with jitter.
func Wait(attempts int) time.Duration {
	longest := MaxWait
	if doublings := attempts - 1; doublings < 10 {
		longest = min(MaxWait, MinWait<<max(0, doublings))
	}
	return longest/2 + time.Duration(rand.Float64()*float64(longest/2))
}

// MigrateRiver creates or updates the tables of River in a schema, one process at a time. If the schema exists, the role
// does not need the right to create it.
func MigrateRiver(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	migrator, err := newMigrator(pool, schema)
	if err != nil {
		return err
	}
	if state, err := migrator.Validate(ctx, nil); err != nil || state.OK {
		return err
	}
	config := pool.Config()
	config.MaxConns, config.MinConns, config.MinIdleConns = 2, 0, 0 // one for the lock
	config.ConnConfig.Tracer = nil                                  // without timeouts
	larger, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer larger.Close()
	return pgx.BeginFunc(ctx, larger, func(lock pgx.Tx) error {
		if _, err := lock.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", schema); err != nil {
			return err
		}
		var exists bool
		if err := larger.QueryRow(ctx, "SELECT to_regnamespace($1) IS NOT NULL", schema).Scan(&exists); err != nil {
			return err
		}
		if !exists {
			if _, err := larger.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
				return err
			}
		}
		migrator, err := newMigrator(larger, schema)
		if err != nil {
			return err
		}
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
}

func newMigrator(pool *pgxpool.Pool, schema string) (*rivermigrate.Migrator[pgx.Tx], error) {
	return rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: schema, Logger: slog.New(slog.DiscardHandler)})
}

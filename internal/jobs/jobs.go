// Package jobs defines background work that is done at least once, even if the process that does it is killed.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"time"
)

// A Job is work for the background.
type Job struct {
	Kind  string        // selects the worker
	Args  string        // of the worker, valid UTF-8 without zero bytes
	Delay time.Duration // before the first attempt
}

// A Queue stores jobs. A job that is done leaves nothing behind. Safe for concurrent use, from several processes.
type Queue interface {
	// AddJob adds a job. If the queue has a job of the same kind with the same arguments, AddJob does nothing.
	AddJob(ctx context.Context, j Job) error

	// RemoveJob removes a job that was done in another way. It is idempotent.
	RemoveJob(ctx context.Context, kind, args string) error

	// RunJobs runs jobs that are due, each in one process at a time, until ctx ends. Then it waits for running
	// jobs, at most for [Patience], and cancels the others, which any process runs again.
	RunJobs(ctx context.Context, w Workers)
}

// The pace of queues.
const (
	Poll     = time.Second      // between two looks for jobs
	AtOnce   = 4                // concurrent jobs of a process, so that slow ones do not delay others
	Lease    = time.Minute      // after which a job runs again if its process was killed
	Patience = 15 * time.Second // of a process that stops, for running jobs
)

// A Worker does a job, or returns an error, after which the job is retried with backoff, or an [AgainError].
type Worker func(ctx context.Context, args string) error

// AgainError is the error of a worker that runs the job again at a time of its choice. That is no failure.
type AgainError struct{ At time.Time }

func (a AgainError) Error() string { return "the job runs again at " + a.At.Format(time.RFC3339) }

// Workers run the jobs of a process.
type Workers struct {
	ByKind map[string]Worker
	Log    *slog.Logger  // receives failures, without the arguments of jobs
	Lease  time.Duration // Defaults to [Lease].
}

// Work makes an attempt to do a job. It returns nil, an AgainError, or an error that it has logged.
func (w Workers) Work(ctx context.Context, kind, args string) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v\n%s", value, debug.Stack())
		}
		if _, again := errors.AsType[AgainError](err); err != nil && !again && ctx.Err() == nil {
			w.Log.Error("a background job failed; it is retried", "job", kind, "error", err)
		}
	}()
	worker, known := w.ByKind[kind]
	if !known {
		return errors.New("this version of the program does not know the job")
	}
	return worker(ctx, args)
}

// The backoff after failures.
const (
	ShortestWait = 10 * time.Second
	LongestWait  = time.Hour
)

// Wait returns the backoff after a number of failed attempts: exponential, with jitter.
func Wait(attempts int) time.Duration {
	longest := LongestWait
	if doublings := attempts - 1; doublings < 10 {
		longest = min(LongestWait, ShortestWait<<max(0, doublings))
	}
	return longest/2 + time.Duration(rand.Float64()*float64(longest/2))
}

package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"bestpick/internal/jobs"
)

// jobPoll is the time between two looks for jobs that are due.
const jobPoll = time.Second

// AddJob adds a job.
func (s *Store) AddJob(ctx context.Context, args jobs.Args, delay time.Duration) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	err = s.transact(ctx, func(tx *transaction) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO jobs (kind, args, due, attempts) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING`,
			args.Kind(), string(text), moment(time.Now().Add(delay)))
		return err
	})
	if err == nil {
		select {
		case s.jobs <- struct{}{}:
		default:
		}
	}
	return err
}

// RemoveJob removes a job.
func (s *Store) RemoveJob(ctx context.Context, args jobs.Args) error {
	text, err := json.Marshal(args)
	if err != nil {
		return err
	}
	return s.removeJob(ctx, args.Kind(), string(text))
}

// removeJob removes a job, also from the write-ahead log: its arguments may name a respondent.
func (s *Store) removeJob(ctx context.Context, kind, args string) error {
	err := s.transact(ctx, func(tx *transaction) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM jobs WHERE kind = ? AND args = ?`, kind, args)
		return err
	})
	if err == nil {
		s.shorten(ctx)
	}
	return err
}

// RunJobs runs jobs.
func (s *Store) RunJobs(ctx context.Context, w jobs.Workers) {
	w.Lease = cmp.Or(w.Lease, jobs.Lease)
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var work sync.WaitGroup
	defer work.Wait()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(jobs.Patience, cancel) })()
	slots := make(chan struct{}, jobs.AtOnce)
	for ctx.Err() == nil {
		slots <- struct{}{}
		j, err := s.takeJob(ctx, w.Lease)
		if err == nil {
			work.Go(func() {
				s.workOn(running, w, j)
				<-slots
			})
			continue
		}
		<-slots
		if !errors.Is(err, sql.ErrNoRows) && ctx.Err() == nil {
			w.Log.Error("background jobs cannot be read; that is retried", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-s.jobs:
		case <-time.After(jobPoll):
		}
	}
}

// A job is a job that this process holds the lease of.
type job struct {
	kind, args string
	failures   int
}

// work makes an attempt to do the job. It logs errors, without the arguments.
func (j job) work(ctx context.Context, w jobs.Workers) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v\n%s", value, debug.Stack())
		}
		if _, again := errors.AsType[jobs.AgainError](err); err != nil && !again && ctx.Err() == nil {
			w.Log.Error("a background job failed; it is retried", "job", j.kind, "error", err)
		}
	}()
	switch j.kind {
	case jobs.Delivery{}.Kind():
		return decoded(ctx, j.args, w.Deliver)
	case jobs.Erasure{}.Kind():
		return decoded(ctx, j.args, w.Erase)
	default:
		return errors.New("this version of the program does not know the job")
	}
}

// decoded calls a worker with the arguments of a job.
func decoded[T jobs.Args](ctx context.Context, text string, work func(context.Context, T) error) error {
	var args T
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		return err
	}
	return work(ctx, args)
}

// takeJob acquires the lease of a job that is due, or returns sql.ErrNoRows. It starts no transaction
// if none is due.
func (s *Store) takeJob(ctx context.Context, lease time.Duration) (j job, err error) {
	const due = `SELECT kind, args FROM jobs WHERE due <= ? ORDER BY due LIMIT 1`
	now := moment(time.Now())
	if err := s.readers.QueryRowContext(ctx, due, now).Scan(&j.kind, &j.args); err != nil {
		return j, err
	}
	err = s.transact(ctx, func(tx *transaction) error {
		return tx.QueryRowContext(ctx, `UPDATE jobs SET due = ? WHERE (kind, args) = (`+due+`) RETURNING kind, args, attempts`,
			moment(time.Now().Add(lease)), now).Scan(&j.kind, &j.args, &j.failures)
	})
	return j, err
}

// workOn does a job, and prolongs its lease meanwhile.
func (s *Store) workOn(ctx context.Context, w jobs.Workers, j job) {
	done := make(chan error)
	go func() { done <- j.work(ctx, w) }()
	const often = 4 // times during a lease
	ticker := time.NewTicker(w.Lease / often)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			_ = s.postponeJob(ctx, j, time.Now().Add(w.Lease)) // it may run twice then
		case err := <-done:
			s.finishJob(context.WithoutCancel(ctx), w, j, err)
			return
		}
	}
}

// finishJob removes a job that is done, and postpones others. If it fails, the job runs again when its lease expires.
func (s *Store) finishJob(ctx context.Context, w jobs.Workers, j job, err error) {
	again, is := errors.AsType[jobs.AgainError](err)
	switch {
	case err == nil:
		err = s.removeJob(ctx, j.kind, j.args)
	case is:
		err = s.postponeJob(ctx, j, again.At)
	default:
		j.failures++
		err = s.postponeJob(ctx, j, time.Now().Add(jobs.Wait(j.failures)))
	}
	if err != nil {
		w.Log.Error("the result of a background job cannot be written; it is retried", "job", j.kind, "error", err)
	}
}

func (s *Store) postponeJob(ctx context.Context, j job, due time.Time) error {
	return s.transact(ctx, func(tx *transaction) error {
		_, err := tx.ExecContext(ctx, `UPDATE jobs SET due = ?, attempts = ? WHERE kind = ? AND args = ?`,
			moment(due), j.failures, j.kind, j.args)
		return err
	})
}

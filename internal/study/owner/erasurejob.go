package owner

import (
	"context"
	"errors"
	"time"

	"bestpick/internal/jobs"
	"bestpick/internal/study"
)

// completeAfter is how long an erasure may take before its job repeats it. That does no harm: erasures are atomic and
// idempotent.
const completeAfter = time.Minute

// Jobs are the methods of a [jobs.Queue] that erasures need.
type Jobs interface {
	AddJob(ctx context.Context, args jobs.Args, delay time.Duration) error
	RemoveJob(ctx context.Context, args jobs.Args) error
}

// NoJobs stores no jobs.
type NoJobs struct{}

// AddJob does nothing.
func (NoJobs) AddJob(context.Context, jobs.Args, time.Duration) error { return nil }

// RemoveJob does nothing.
func (NoJobs) RemoveJob(context.Context, jobs.Args) error { return nil }

// ensure erases a respondent. Meanwhile a job exists, which completes the erasure if this process is killed.
func (s *Owner) ensure(ctx context.Context, job jobs.Erasure) (Erasure, error) {
	if err := s.Jobs.AddJob(ctx, job, completeAfter); err != nil {
		return Erasure{}, err
	}
	e, err := s.eraseShared(ctx, job.Study, job.Respondent)
	if failed := s.Jobs.RemoveJob(context.WithoutCancel(ctx), job); failed != nil {
		s.Report(job.Study, failed) // the job finds nothing to erase
	}
	return e, err
}

// CompleteErasure erases the respondent of a job.
func (s *Owner) CompleteErasure(ctx context.Context, job jobs.Erasure) error {
	_, err := s.eraseShared(ctx, job.Study, job.Respondent)
	if errors.Is(err, study.ErrNotFound) {
		return nil // the study was deleted, and the answers with it
	}
	return err
}

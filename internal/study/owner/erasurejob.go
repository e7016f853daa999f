package owner

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"bestpick/internal/jobs"
	"bestpick/internal/study"
)

// ErasureKind is the kind of the jobs that complete erasures.
const ErasureKind = "erasure"

// completeAfter is how long an erasure may take before its job repeats it. That does no harm: erasures are atomic and
// idempotent.
const completeAfter = time.Minute

// Jobs are the methods of a [jobs.Queue] that erasures need.
type Jobs interface {
	AddJob(ctx context.Context, j jobs.Job) error
	RemoveJob(ctx context.Context, kind, args string) error
}

// NoJobs stores no jobs.
type NoJobs struct{}

// AddJob does nothing.
func (NoJobs) AddJob(context.Context, jobs.Job) error { return nil }

// RemoveJob does nothing.
func (NoJobs) RemoveJob(context.Context, string, string) error { return nil }

// erasureArgs are the arguments of a job, as JSON.
type erasureArgs struct {
	Study      string `json:"study"`
	Respondent string `json:"respondent"`
}

// ensure erases a respondent. Meanwhile a job exists, which completes the erasure if this process is killed.
func (s *Owner) ensure(ctx context.Context, args erasureArgs) (Erasure, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return Erasure{}, err
	}
	if err := s.Jobs.AddJob(ctx, jobs.Job{Kind: ErasureKind, Args: string(text), Delay: completeAfter}); err != nil {
		return Erasure{}, err
	}
	e, err := s.eraseShared(ctx, args.Study, args.Respondent)
	if failed := s.Jobs.RemoveJob(context.WithoutCancel(ctx), ErasureKind, string(text)); failed != nil {
		s.Report(args.Study, failed) // the job finds nothing to erase
	}
	return e, err
}

// CompleteErasure erases the respondent that the arguments of a job name.
func (s *Owner) CompleteErasure(ctx context.Context, args string) error {
	var erasure erasureArgs
	if err := json.Unmarshal([]byte(args), &erasure); err != nil {
		return err
	}
	_, err := s.eraseShared(ctx, erasure.Study, erasure.Respondent)
	if errors.Is(err, study.ErrNotFound) {
		return nil // the study was deleted, and the answers with it
	}
	return err
}

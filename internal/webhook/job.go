package webhook

import (
	"context"
	"errors"
	"time"

	"bestpick/internal/jobs"
	"bestpick/internal/study"
)

func (h Hook) job() jobs.Delivery { return jobs.Delivery{Study: h.Study, Delivery: h.Delivery} }

// Set sets or replaces the hook of a study, and has it delivered if the study is done. An open study gets its job from
// Ended: a job that runs just before the study ends would keep Ended from adding another.
func (s *Sender) Set(ctx context.Context, h Hook) error {
	if err := s.Store.SetWebhook(ctx, h); err != nil {
		return err
	}
	notice, _, err := s.Notice(ctx, h.Study)
	if err != nil || notice.State != string(study.Done) {
		return err
	}
	return s.Store.AddJob(ctx, h.job(), 0)
}

// Ended has the hook of a study delivered, if there is one. It is called when the study has ended.
func (s *Sender) Ended(ctx context.Context, id string) {
	h, err := s.Store.Webhook(ctx, id)
	if err == nil && h.State == Waiting {
		err = s.Store.AddJob(ctx, h.job(), 0)
	}
	if err != nil && !gone(err) {
		s.Observe(Hook{}, err) // Recover has it delivered later
	}
}

// The pace of Recover.
const (
	recoverEvery = time.Minute
	maxRecovered = 1000
)

// Recover adds the jobs of deliveries that are due and have none, until the context ends: a process may have been killed
// after the write that ended the study.
func (s *Sender) Recover(ctx context.Context) {
	for ctx.Err() == nil {
		due, err := s.Store.DueWebhooks(ctx, s.now(), maxRecovered)
		for _, h := range due {
			err = errors.Join(err, s.Store.AddJob(ctx, h.job(), 0))
		}
		if err != nil && ctx.Err() == nil {
			s.Observe(Hook{}, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(recoverEvery):
		}
	}
}

package study

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// A Progress is how far a study is: what its last plan says.
type Progress struct {
	Study   Study
	Verdict Verdict
	Plan    int       // the number of the last plan, 0 if there is none
	At      time.Time // of the last plan
	upto    int64     // the last outcome that it tells
}

// Progress returns how far a study is.
func (s *Service) Progress(ctx context.Context, id string) (Progress, error) {
	study, err := s.store.Study(ctx, id)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Study: study, Verdict: noVerdict()}
	plan, err := s.store.Last(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	p.Plan, p.At, p.upto = plan.Number, plan.At, plan.Upto
	return p, json.Unmarshal(plan.Verdict, &p.Verdict)
}

// Watch calls tell with the progress of a study, at first and whenever there is some, until the context
// ends, tell returns an error, or the study is deleted.
func (s *Service) Watch(ctx context.Context, id string, tell func(Progress) error) error {
	var last Progress // of no version
	for {
		rung := s.news.wait(id)
		now, err := s.Progress(ctx, id)
		if errors.Is(err, ErrNotFound) {
			s.news.ring(id) // takes the bell down: nothing will ever ring it
		}
		if err != nil {
			return err
		}
		if now.Plan != last.Plan || now.Study.Version != last.Study.Version {
			if err := tell(now); err != nil {
				return err
			}
			last = now
		}
		if !sleep(ctx, watchEvery, rung) || !sleep(ctx, watchPause, nil) {
			return ctx.Err()
		}
	}
}

const (
	watchEvery = time.Second            // how often to look what other processes have planned
	watchPause = 100 * time.Millisecond // between two messages, at least
)

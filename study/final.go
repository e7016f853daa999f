package study

import (
	"context"
	"time"
)

// lastPlanWithin is when a study that was stopped is final in any case: an answer that another process has
// acknowledged just then may stay uncounted.
const lastPlanWithin = time.Minute

// Final returns how far a study is, and whether that is how it ends: it is done, and what was acknowledged
// before it was stopped is counted.
func (s *Service) Final(ctx context.Context, id string) (Progress, bool, error) {
	p, err := s.Progress(ctx, id)
	if err != nil || p.Study.State != Done {
		return p, false, err
	}
	if p.Uncounted > 0 {
		return p, false, nil
	}
	if p.Study.Reason != Stopped || s.clock().Sub(p.Study.Changed) > lastPlanWithin {
		return p, true, nil
	}
	untold, err := s.store.Log(ctx, id, p.upto, 1)
	return p, len(untold) == 0, err
}

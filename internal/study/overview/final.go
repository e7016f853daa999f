package overview

import (
	"context"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/replay"
)

// lastPlanWithin is the time after which a stopped study is final in any case. An answer that
// another process acknowledged in the last moment may then stay uncounted.
const lastPlanWithin = time.Minute

// Final returns the progress of a study, and whether it is final: the study is done, and if its
// owner stopped it, the last plan counts all answers and has seen the stop.
func (s *Reader) Final(ctx context.Context, id string) (Progress, bool, error) {
	p, err := s.Progress(ctx, id)
	if err != nil || p.Study.State != study.Done {
		return p, false, err
	}
	if p.Uncounted > 0 {
		return p, false, nil
	}
	if !p.Study.Reason.Closed() || s.Clock().Sub(p.Study.Changed) > lastPlanWithin {
		return p, true, nil
	}
	untold, err := s.Store.Log(ctx, id, p.Upto, 1)
	knows := p.Verdict.Settings == "" || p.Verdict.Settings == replay.Terms(p.Study)
	return p, knows && len(untold) == 0, err
}

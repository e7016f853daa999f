package planning

import (
	"context"
	"errors"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

const (
	compactEvery = time.Minute

	// upgradeGap is how long processes of an earlier version may run after the upgrade of their store.
	upgradeGap = time.Hour
)

// compact makes studies smaller until the context ends.
func (s *Supervisor) compact(ctx context.Context) {
	for live.Sleep(ctx, compactEvery, nil) {
		bulky, err := s.Store.Bulky(ctx, s.Clock().Add(-upgradeGap))
		s.failed(ctx, live.AnyStudy, err)
		for _, id := range bulky {
			s.failed(ctx, id, s.Store.Compact(ctx, id))
		}
	}
}

// failed reports an error of a compaction, unless the study was deleted or is locked: then a later attempt is enough.
func (s *Supervisor) failed(ctx context.Context, id string, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, study.ErrNotFound) && !errors.Is(err, study.ErrBusy) {
		s.Report(id, err)
	}
}

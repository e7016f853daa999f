package study_test

import (
	"context"
	"testing"

	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
)

// A logReads store records the positions from which the log is read.
type logReads struct {
	study.Store

	from []int64
}

func (r *logReads) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	r.from = append(r.from, after)
	return r.Store.Log(ctx, id, after, limit)
}

// TestOverviewGoesOn: a later overview only reads the new part of the log, also after an erasure.
func TestOverviewGoesOn(t *testing.T) {
	s := begin(t, three())
	store := &logReads{Store: s.store}
	service := s.serviceOn(store, wiring.Options{Name: "one", Clock: s.clock})
	planner := service.Planner(id)
	s.run(service, planner, 2, 4)
	s.erase(service, "r1")
	for look, again := range []bool{false, true} {
		store.from = nil
		_, err := service.Overview(t.Context(), id)
		s.must(err)
		if begun := len(store.from) > 0 && store.from[0] == 0; begun == again {
			t.Errorf("overview %d reads the log from %v", look, store.from)
		}
	}
	s.run(service, planner, 1, 4)
	store.from = nil
	_, err := service.Overview(t.Context(), id)
	s.must(err)
	if len(store.from) == 0 || store.from[0] == 0 {
		t.Errorf("the log is read from %v", store.from)
	}
}

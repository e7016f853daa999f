package study_test

import (
	"context"
	"math"

	"bestpick/internal/study"
	"bestpick/internal/study/replay"
)

// states returns the state of a study twice: restored from the snapshot and later plans, and
// replayed from the log.
func states(ctx context.Context, store study.Store, id string) (restored, replayed []byte, err error) {
	st, err := store.Study(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	_, snapshot, err := store.Snapshot(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	saved, err := store.Catalogue(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	state := func(snapshot []byte) ([]byte, error) {
		r, err := replay.New(st, saved, nil)
		if err != nil {
			return nil, err
		}
		if snapshot != nil {
			if err := r.Restore(snapshot); err != nil {
				return nil, err
			}
		}
		if err := r.CatchUp(ctx, store, id, math.MaxInt, replay.NewCores()); err != nil {
			return nil, err
		}
		return r.Snapshot()
	}
	if restored, err = state(snapshot); err != nil {
		return nil, nil, err
	}
	replayed, err = state(nil)
	return restored, replayed, err
}

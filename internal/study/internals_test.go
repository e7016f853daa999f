package study

import (
	"context"
	"math"
)

// States returns the state of a study twice: restored from the snapshot and the plans since, and replayed from the log.
func States(ctx context.Context, store Store, id string) (restored, replayed []byte, err error) {
	study, err := store.Study(ctx, id)
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
		r, err := newRunner(study, saved)
		if err != nil {
			return nil, err
		}
		if snapshot != nil {
			if err := r.restore(snapshot); err != nil {
				return nil, err
			}
		}
		if err := r.catchUp(ctx, store, id, math.MaxInt, NewCores()); err != nil {
			return nil, err
		}
		return r.snapshot()
	}
	if restored, err = state(snapshot); err != nil {
		return nil, nil, err
	}
	replayed, err = state(nil)
	return restored, replayed, err
}

// Package replay computes what the log of a study leads to. The state of the strategy is a function of the
// log: planners continue it, and replays, exports and verifications repeat it.
package replay

import (
	"context"

	"bestpick/internal/study"
)

// Replay does again everything a study did, from its log alone, and returns the verdict. A
// [DivergedError] says where the log leads to something else than it says; if somebody is erased
// meanwhile, that is ErrChanged.
func Replay(ctx context.Context, store study.Store, id string) (study.Verdict, error) {
	last, err := LastPlan(ctx, store, id) // later ones may know arms that are added in the meantime
	if err != nil {
		return study.Verdict{}, err
	}
	st, err := store.Study(ctx, id)
	if err != nil {
		return study.Verdict{}, err
	}
	saved, err := store.Catalogue(ctx, id)
	if err != nil {
		return study.Verdict{}, err
	}
	r, err := New(st, saved)
	if err != nil {
		return study.Verdict{}, err
	}
	if err := r.CatchUp(ctx, store, id, last, NewCores()); err != nil {
		return study.Verdict{}, UnlessErased(ctx, store, st, err)
	}
	return r.Verdict(), nil
}

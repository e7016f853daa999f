// Package replay computes the state of a study from its log. The state of the strategy is a
// function of the log: planners continue it, and replays, exports and verifications repeat it.
package replay

import (
	"context"

	"bestpick/internal/study"
)

// Replay recomputes a study from its log alone and returns the verdict. It returns a
// [DivergedError] if the log contradicts itself, and ErrChanged if a respondent is erased
// meanwhile.
func Replay(ctx context.Context, store study.Store, id string) (study.Verdict, error) {
	last, err := LastPlan(ctx, store, id) // later plans may contain arms that are added meanwhile
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

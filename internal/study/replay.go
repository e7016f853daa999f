package study

import "context"

// Replay does again everything a study did, from its log alone, and returns the verdict. A
// [DivergedError] says where the log leads to something else than it says; if somebody is erased
// meanwhile, that is ErrChanged.
func Replay(ctx context.Context, store Store, id string) (Verdict, error) {
	last, err := lastPlan(ctx, store, id) // later ones may know arms that are added in the meantime
	if err != nil {
		return Verdict{}, err
	}
	study, err := store.Study(ctx, id)
	if err != nil {
		return Verdict{}, err
	}
	saved, err := store.Catalogue(ctx, id)
	if err != nil {
		return Verdict{}, err
	}
	r, err := newRunner(study, saved)
	if err != nil {
		return Verdict{}, err
	}
	if err := r.catchUp(ctx, store, id, last, NewCores()); err != nil {
		return Verdict{}, unlessErased(ctx, store, study, err)
	}
	return r.verdict(), nil
}

package owner

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"reflect"

	"bestpick/internal/study"
	"bestpick/internal/study/replay"
)

// Copy copies a complete study to another store, as of one moment. It is atomic. The study must not
// be open. Open questions are asked again in the other store, because tokens are only valid in one
// store. If the other store has a study with that id, Copy returns ErrTaken.
func Copy(ctx context.Context, from, to study.Store, id string) (study.Archive, error) {
	whole, err := Read(ctx, from, id)
	if err != nil {
		return study.Archive{}, err
	}
	if err := to.Adopt(ctx, whole); errors.Is(err, study.ErrChanged) {
		return study.Archive{}, study.ErrTaken
	} else if err != nil {
		return study.Archive{}, err
	}
	if plan, state, err := from.Snapshot(ctx, id); err == nil && plan <= whole.LastPlan() {
		_ = to.SaveSnapshot(ctx, id, plan, state) // optional: it only makes planning start faster
	}
	return whole, nil
}

// Transfer copies a study and removes the original. An answer that arrives meanwhile is copied,
// too: Transfer only removes the study if it has not changed since the copy. After an error, both
// stores may have the study. After an interruption at any point, another call completes the transfer.
func Transfer(ctx context.Context, from, to study.Store, id string) (study.Archive, error) {
	for range maxAttempts {
		whole, err := Copy(ctx, from, to, id)
		if errors.Is(err, study.ErrTaken) {
			whole, err = copied(ctx, from, to, id)
		}
		if err != nil {
			return study.Archive{}, err
		}
		err = from.DeleteUnchanged(ctx, id, whole.Study.Version, int64(len(whole.Outcomes)))
		if !errors.Is(err, study.ErrChanged) { // after other errors, what the store has written is unknown
			return whole, err
		}
		if err := to.Delete(context.WithoutCancel(ctx), id); err != nil {
			return study.Archive{}, err
		}
	}
	return study.Archive{}, study.ErrChanged
}

// copied returns a study that both stores have, as after an interrupted transfer. It returns ErrTaken
// unless the studies are identical, and if both stores are the same, as their secrets show.
func copied(ctx context.Context, from, to study.Store, id string) (study.Archive, error) {
	secret, err := from.Secret(ctx)
	if err != nil {
		return study.Archive{}, err
	}
	other, err := to.Secret(ctx)
	if err != nil {
		return study.Archive{}, err
	}
	if bytes.Equal(secret, other) {
		return study.Archive{}, study.ErrTaken
	}
	there, err := Read(ctx, to, id)
	if errors.Is(err, study.ErrOpen) {
		return study.Archive{}, study.ErrTaken
	} else if err != nil {
		return study.Archive{}, err
	}
	here, err := Read(ctx, from, id)
	if err == nil && !reflect.DeepEqual(here, there) {
		err = study.ErrTaken
	}
	return here, err
}

// maxAttempts is how often a study is read again after concurrent changes.
const maxAttempts = 10

// Read reads a complete study as of one moment. It must not be open.
func Read(ctx context.Context, store study.Store, id string) (w study.Archive, err error) {
	for range maxAttempts {
		now, err := store.Study(ctx, id)
		if err != nil {
			return study.Archive{}, err
		}
		if now.Version != w.Study.Version {
			w = study.Archive{} // outcomes may have been erased
		}
		w.Study = now
		if w.Study.State == study.Open {
			return study.Archive{}, study.ErrOpen
		}
		if err := readOn(ctx, store, &w); err != nil {
			return study.Archive{}, err
		}
		if same, err := isStill(ctx, store, w); same || err != nil {
			return w, err
		}
	}
	return study.Archive{}, study.ErrChanged
}

// readOn reads the catalogue and the panel, and new plans and outcomes. While the version of the
// study stays the same, plans and outcomes are only appended.
func readOn(ctx context.Context, store study.Store, w *study.Archive) (err error) {
	id := w.Study.ID
	if w.Catalogue, err = store.Catalogue(ctx, id); err != nil {
		return err
	}
	if w.Pictures, err = readPictures(ctx, store, id); err != nil {
		return err
	}
	for more := true; more; {
		const page = 1000
		some, err := store.Plans(ctx, id, w.LastPlan(), page)
		if err != nil {
			return err
		}
		w.Plans, more = append(w.Plans, some...), len(some) > 0
	}
	more, err := collect(study.Log(ctx, store, id, int64(len(w.Outcomes)), math.MaxInt64))
	if err != nil {
		return err
	}
	w.Outcomes = append(w.Outcomes, more...)
	if w.Batches, err = store.Batches(ctx, id); err != nil {
		return err
	}
	if w.Members, err = collect(study.AllMembers(ctx, store, id)); err != nil {
		return err
	}
	if w.Profiles, err = collect(study.AllProfiles(ctx, store, id)); err != nil {
		return err
	}
	work, err := store.Look(ctx, id)
	_, planned := w.Told()
	w.Claimed = planned - work.Unclaimed
	return err
}

// readPictures reads all pictures of a study.
func readPictures(ctx context.Context, store study.Store, id string) ([]study.Picture, error) {
	hashes, err := store.PictureHashes(ctx, id)
	if err != nil {
		return nil, err
	}
	pictures := make([]study.Picture, len(hashes))
	for i, hash := range hashes {
		if pictures[i], err = store.Picture(ctx, id, hash); err != nil {
			return nil, err
		}
	}
	return pictures, nil
}

// collect returns all that a sequence yields, up to its error.
func collect[T any](all iter.Seq2[T, error]) (list []T, err error) {
	for one, err := range all {
		if err != nil {
			return list, err
		}
		list = append(list, one)
	}
	return list, nil
}

// isStill reports whether a study is unchanged since it was read.
func isStill(ctx context.Context, store study.Store, w study.Archive) (bool, error) {
	now, err := store.Study(ctx, w.Study.ID)
	if err != nil {
		return false, err
	}
	last, err := replay.LastPlan(ctx, store, w.Study.ID)
	if err != nil {
		return false, err
	}
	more, err := store.Log(ctx, w.Study.ID, int64(len(w.Outcomes)), 1)
	return now.Version == w.Study.Version && last == w.LastPlan() && len(more) == 0, err
}

// Duplicate adds a draft with another name and the arms, pictures, settings and presentation of a study. The copy has
// no answers and no panel, and asks other questions.
func (s *Owner) Duplicate(ctx context.Context, id, name string) (study.Study, error) {
	original, err := s.Store.Study(ctx, id)
	if err != nil {
		return study.Study{}, err
	}
	arms, err := s.Store.Catalogue(ctx, id)
	if err != nil {
		return study.Study{}, err
	}
	pictures, err := readPictures(ctx, s.Store, id)
	if err != nil {
		return study.Study{}, err
	}
	st := study.Study{
		ID: newID(), Name: shortened(name), Prompt: original.Prompt, Settings: original.Settings,
		Arms: original.Arms, Withdrawn: original.Withdrawn, Page: original.Page, Profile: original.Profile,
		Created: s.Clock(),
	}
	st.Settings.Strategy.Seed, st.Settings.Strategy.Budget = randomSeed(), 0 // opening sets the budget
	return s.add(ctx, st, arms, pictures)
}

// shortened returns at most as many characters of a text as the name of a study may have.
func shortened(text string) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), study.MaxName)])
}

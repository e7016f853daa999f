package owner

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/strategy/racing"
)

// SetArms replaces the catalogue of a draft without answers, and removes its prior, which is about the
// features of the earlier arms.
func (s *Owner) SetArms(ctx context.Context, id string, version int, arms *archive.Catalogue) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		if st.State != study.Draft || st.Imported {
			return nil, study.ErrStarted
		}
		st.Arms, st.Withdrawn, st.Settings.Strategy.Prior = arms.Arms.Len(), nil, nil
		aboutJudges(&st.Settings, st.Settings.Judges && arms.Contexts != nil)
		return arms, s.checkStudy(*st, arms)
	})
}

// aboutJudges says whether the verdict is about judges. If that changes, so does the default of how many people may be fake.
func aboutJudges(s *study.Settings, judges bool) {
	if s.Judges == judges {
		return
	}
	if s.Judges, s.Strategy.Fakes = judges, 0; !judges && s.Strategy.CountsPeople() {
		s.Strategy.Fakes = racing.DefaultFakes
	}
}

// SetContexts replaces the contexts of a draft without answers. read receives the catalogue and returns its contexts; nil removes
// them. The verdict of a draft that had none is then about judges, see [study.Settings]. With Any, read may be called again.
func (s *Owner) SetContexts(
	ctx context.Context, id string, version int, read func(*archive.Catalogue) (*archive.Contexts, error),
) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		if st.State != study.Draft || st.Imported {
			return nil, study.ErrStarted
		}
		before, err := s.Live.Catalogue(ctx, id)
		if err != nil {
			return nil, err
		}
		arms := *before
		if arms.Contexts, err = read(before); err != nil {
			return nil, err
		}
		aboutJudges(&st.Settings, arms.Contexts != nil && (st.Settings.Judges || before.Contexts == nil))
		return &arms, nil
	})
}

// AddArms adds arms to a study that is not done. add receives the catalogue and returns it with more arms at its end; existing
// arms, their features and texts must not change. With Any, add may be called again.
func (s *Owner) AddArms(
	ctx context.Context, id string, version int, add func(*archive.Catalogue) (*archive.Catalogue, error),
) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		if err := armsMayChange(*st); err != nil {
			return nil, err
		}
		before, err := s.Live.Catalogue(ctx, id)
		if err != nil {
			return nil, err
		}
		if before.Arms.Product() != nil {
			return nil, refusedArms(ofProduct)
		}
		arms, err := add(before)
		if err != nil {
			return nil, err
		}
		if err := extends(arms, before); err != nil {
			return nil, err
		}
		st.Arms = arms.Arms.Len()
		return arms, s.checkStudy(*st, arms)
	})
}

// refusedArms returns the error of a refused change of arms.
func refusedArms(why string) error { return study.Invalid("arms", why) }

// ofProduct is the reason why arms of a product are fixed.
const ofProduct = "the profiles of a product cannot be added or withdrawn"

// extends returns an error unless a catalogue begins with the arms of another one: the log knows
// them by their numbers, and its digests cover their features and texts.
func extends(all, before *archive.Catalogue) error {
	c, first := all.Arms, before.Arms
	if c.Product() != nil {
		return refusedArms(ofProduct)
	}
	if c.Len() < first.Len() || !slices.Equal(c.Features(), first.Features()) {
		return refusedArms("existing arms and their features must not change")
	}
	is, was := all.Cards(), before.Cards()
	for i := range first.Len() {
		if !reflect.DeepEqual(is(i), was(i)) || !slices.Equal(c.Arm(i), first.Arm(i)) {
			return refusedArms(fmt.Sprintf("arm %q must not change", first.ID(i)))
		}
	}
	return nil
}

// Withdraw withdraws an arm from a study that is not done. No further question shows the arm, and it cannot win.
func (s *Owner) Withdraw(ctx context.Context, id string, version int, arm string) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		if err := armsMayChange(*st); err != nil {
			return nil, err
		}
		arms, err := s.Live.Catalogue(ctx, id)
		if err != nil {
			return nil, err
		}
		number, known := arms.Arms.Index(arm)
		refuse := func(why string) error { return study.Invalid("arm", why) }
		switch {
		case !known:
			return nil, refuse(fmt.Sprintf("there is no arm %q", arm))
		case arms.Arms.Product() != nil:
			return nil, refuse(ofProduct)
		case st.Settings.Strategy.Model.Clicks:
			return nil, refuse(withdrawnClicks)
		case slices.Contains(st.Withdrawn, number):
			return nil, nil
		case arms.Arms.Len()-len(st.Withdrawn) <= st.Settings.Strategy.K:
			return nil, refuse(fmt.Sprintf("at least %d arms must remain, as many as a question shows", st.Settings.Strategy.K))
		}
		st.Withdrawn = append(slices.Clone(st.Withdrawn), number)
		return nil, nil
	})
}

// Exclude excludes a person who was dealt questions, after answers were seen: an arm is certified only if it is with and
// without them. It is idempotent.
func (s *Owner) Exclude(ctx context.Context, id string, version int, respondent string) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		refuse := func(why string) error { return study.Invalid("respondent", why) }
		if err := st.CheckExclusion(); err != nil {
			return nil, err
		}
		if study.CheckText(respondent) != nil {
			return nil, refuse("there is no such respondent")
		}
		arrival, _, err := s.Store.Hand(ctx, id, respondent)
		switch {
		case errors.Is(err, study.ErrNotFound) || respondent == "":
			return nil, refuse("there is no such respondent")
		case err != nil:
			return nil, err
		case slices.Contains(st.Excluded, arrival.Number):
			return nil, nil
		case len(st.Excluded) == racing.MaxExcluded:
			return nil, refuse(fmt.Sprintf("at most %d people can be excluded", racing.MaxExcluded))
		}
		st.Excluded = append(slices.Clone(st.Excluded), arrival.Number)
		return nil, nil
	})
}

func armsMayChange(s study.Study) error {
	switch {
	case s.State == study.Done:
		return s.NotOpen()
	case s.State != study.Draft && s.Settings.Strategy.Model.Clicks:
		return refusedArms("with random clicks in the model, arms cannot be added or withdrawn once the study is open")
	}
	return nil
}

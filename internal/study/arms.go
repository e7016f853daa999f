package study

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"

	"bestpick/internal/catalogue/archive"
)

func written(arms *archive.Catalogue) ([]byte, error) {
	var saved bytes.Buffer
	err := archive.Save(&saved, arms)
	return saved.Bytes(), err
}

// SetArms replaces the catalogue of a draft, as long as it has no answers.
func (s *Owner) SetArms(ctx context.Context, id string, version int, arms *archive.Catalogue) (Study, error) {
	return s.change(ctx, id, version, func(study *Study) (*archive.Catalogue, error) {
		if study.State != Draft || study.Imported {
			return nil, ErrStarted
		}
		study.Arms, study.Withdrawn = arms.Arms.Len(), nil
		return arms, checkStudy(*study, arms)
	})
}

// AddArms adds arms to a study that is not done. add gets the catalogue and returns it with more
// arms at its end; existing arms, their features and texts must not change. With Any, add may be
// called again.
func (s *Owner) AddArms(ctx context.Context, id string, version int, add func(*archive.Catalogue) (*archive.Catalogue, error)) (Study, error) {
	return s.change(ctx, id, version, func(study *Study) (*archive.Catalogue, error) {
		if err := armsMayChange(*study); err != nil {
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
		study.Arms = arms.Arms.Len()
		return arms, checkStudy(*study, arms)
	})
}

// refusedArms says why arms cannot come or go.
func refusedArms(why string) error { return Invalid("arms", why) }

// ofProduct is why arms of a product stay.
const ofProduct = "the profiles of a product cannot come or go"

// extends returns an error unless a catalogue begins with the arms of another one: the log knows
// them by their numbers, and its digests cover their features and texts.
func extends(all, before *archive.Catalogue) error {
	c, first := all.Arms, before.Arms
	if c.Product() != nil {
		return refusedArms(ofProduct)
	}
	if c.Len() < first.Len() || !slices.Equal(c.Features(), first.Features()) {
		return refusedArms("those there are, and their features, must stay")
	}
	is, was := all.Cards(), before.Cards()
	for i := range first.Len() {
		if !reflect.DeepEqual(is(i), was(i)) || !slices.Equal(c.Arm(i), first.Arm(i)) {
			return refusedArms(fmt.Sprintf("arm %q must stay as it is", first.ID(i)))
		}
	}
	return nil
}

// Withdraw takes an arm out of a study that is not done. It is not asked about any more and cannot
// win.
func (s *Owner) Withdraw(ctx context.Context, id string, version int, arm string) (Study, error) {
	return s.change(ctx, id, version, func(study *Study) (*archive.Catalogue, error) {
		if err := armsMayChange(*study); err != nil {
			return nil, err
		}
		arms, err := s.Live.Catalogue(ctx, id)
		if err != nil {
			return nil, err
		}
		number, known := arms.Arms.Index(arm)
		refuse := func(why string) error { return Invalid("arm", why) }
		switch {
		case !known:
			return nil, refuse(fmt.Sprintf("there is no arm %q", arm))
		case arms.Arms.Product() != nil:
			return nil, refuse(ofProduct)
		case study.Settings.Strategy.Model.Clicks:
			return nil, refuse(withdrawnClicks)
		case slices.Contains(study.Withdrawn, number):
			return nil, nil
		case arms.Arms.Len()-len(study.Withdrawn) <= study.Settings.Strategy.K:
			return nil, refuse(fmt.Sprintf("%d arms must stay for a question", study.Settings.Strategy.K))
		}
		study.Withdrawn = append(slices.Clone(study.Withdrawn), number)
		return nil, nil
	})
}

func armsMayChange(s Study) error {
	switch {
	case s.State == Done:
		return s.notOpen()
	case s.State != Draft && s.Settings.Strategy.Model.Clicks:
		return refusedArms("with clicks at random in the model, arms cannot come or go once the study is open")
	}
	return nil
}

// withdrawnClicks is why arms are not withdrawn, even from a draft: the strategy begins with all.
const withdrawnClicks = "with clicks at random in the model, no arm can be withdrawn"

package live

import (
	"bytes"
	"context"
	"slices"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
)

// Catalogue reads the arms of a study.
func (c *Studies) Catalogue(ctx context.Context, id string) (*archive.Catalogue, error) {
	arms, _, err := c.catalogue(ctx, id)
	return arms, err
}

// catalogue also returns the size of the stored catalogue in bytes.
func (c *Studies) catalogue(ctx context.Context, id string) (*archive.Catalogue, int, error) {
	saved, err := c.store.Catalogue(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	arms, err := archive.Load(bytes.NewReader(saved), int64(len(saved)), "the catalogue of the study")
	return arms, len(saved), err
}

// Arms returns the arms of a study at its version. They are shared and must not be changed.
func (c *Studies) Arms(ctx context.Context, st study.Study) (arms *archive.Catalogue, err error) {
	c.with(st.ID, false, func(e *entry) {
		if e.arms.version == st.Version {
			arms = e.arms.arms
		}
	})
	if arms != nil {
		return arms, nil
	}
	arms, size, err := c.catalogue(ctx, st.ID)
	if err != nil {
		return nil, err
	}
	c.with(st.ID, true, func(e *entry) {
		c.resize(e, size-e.arms.bytes)
		e.arms = keptArms{st.Version, arms, &cardBox{study: st.ID, arms: arms}, size}
	})
	return arms, nil
}

// StudyWithArms reads a study, and returns it with its arms, which are shared and must not be changed.
func (c *Studies) StudyWithArms(ctx context.Context, id string) (st study.Study, arms *archive.Catalogue, err error) {
	if st, err = c.store.Study(ctx, id); err == nil {
		arms, err = c.Arms(ctx, st)
	}
	return st, arms, err
}

// ArmsWith returns the arms of a study including the named ones: a question or a plan may contain
// arms that were added after the study was read. They are shared and must not be changed.
func (c *Studies) ArmsWith(ctx context.Context, st study.Study, named ...int) (*archive.Catalogue, error) {
	arms, err := c.Arms(ctx, st)
	if err != nil || len(named) == 0 || slices.Max(named) < arms.Arms.Len() {
		return arms, err
	}
	if st, err = c.store.Study(ctx, st.ID); err != nil {
		return nil, err
	}
	return c.Arms(ctx, st)
}

// Cards returns a function that makes the card of an arm with everything that owners see. Cards are
// shared and must not be changed.
func (c *Studies) Cards(st study.Study, arms *archive.Catalogue) func(arm int) archive.Card {
	box := &cardBox{study: st.ID, arms: arms}
	c.with(st.ID, false, func(e *entry) {
		if e.arms.arms == arms {
			box = e.arms.cards
		}
	})
	return box.card
}

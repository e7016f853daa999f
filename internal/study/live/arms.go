package live

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
)

// maxCards is the minimum number of cards that are kept per study.
const maxCards = 500

// keptArms are the arms of a study at a version, and their cards.
type keptArms struct {
	version int
	arms    *archive.Catalogue
	cards   *cardBox
	bytes   int
}

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

// A cardBox caches the cards of arms: a study soon asks about few of its arms. For a product, it
// computes the allowed combinations once.
type cardBox struct {
	mutex sync.Mutex
	study string // its id
	arms  *archive.Catalogue
	write func(arm int) archive.Card
	cards generations[int, archive.Card]
}

func (b *cardBox) card(arm int) archive.Card {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	card, kept := b.cards.get(arm)
	if kept {
		return card
	}
	if b.write == nil {
		b.write = b.arms.Cards()
	}
	card = b.write(arm)
	card.Image = study.PictureAddress(b.study, card.Image)
	b.cards.put(arm, card, maxCards)
	return card
}

// RespondentCards returns a function that makes cards as respondents see them, from complete cards.
func RespondentCards(s study.Settings, whole func(arm int) archive.Card) func(arm int) archive.Card {
	if !s.Plain {
		return whole
	}
	return func(arm int) archive.Card {
		card := whole(arm)
		card.Attributes = nil
		return card
	}
}

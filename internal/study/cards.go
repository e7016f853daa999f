package study

import (
	"sync"

	"bestpick/internal/catalogue/archive"
)

// mostCards is how many cards of a study are kept.
const mostCards = 1000

// A cardBox makes the cards of a study, and keeps them: soon it asks about few of its arms only. Of a product, it
// works out once which combinations are allowed.
type cardBox struct {
	mutex sync.Mutex
	study string // its id
	arms  *archive.Catalogue
	write func(arm int) archive.Card
	cards map[int]archive.Card
}

func (b *cardBox) card(arm int) archive.Card {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	card, kept := b.cards[arm]
	if kept {
		return card
	}
	if b.write == nil {
		b.write = b.arms.Cards()
	}
	if b.cards == nil || len(b.cards) == mostCards {
		b.cards = map[int]archive.Card{}
	}
	card = b.write(arm)
	card.Image = pictureAddress(b.study, card.Image)
	b.cards[arm] = card
	return card
}

// Cards returns what makes the card of an arm of a study, with all that there is, as owners see it. Cards are shared,
// and must not be changed.
func (s *Service) Cards(study Study, arms *archive.Catalogue) func(arm int) archive.Card {
	return s.arms.box(study, arms).card
}

// Plainly makes cards as respondents see them, out of whole ones.
func (s Settings) Plainly(whole func(arm int) archive.Card) func(arm int) archive.Card {
	if !s.Plain {
		return whole
	}
	return func(arm int) archive.Card {
		card := whole(arm)
		card.Attributes = nil
		return card
	}
}

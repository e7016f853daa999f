package live

import (
	"cmp"
	"sync"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
)

// maxCards is the minimum number of cards that are kept per study.
const maxCards = 500

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
func RespondentCards(s study.Study, whole func(arm int) archive.Card) func(arm int) archive.Card {
	if !s.Settings.HideAttributes && s.Page.Cards.IsZero() {
		return whole
	}
	return func(arm int) archive.Card {
		card := whole(arm)
		if s.Settings.HideAttributes {
			card.Attributes = nil
		}
		if s.Page.Cards.HideDescription {
			card.Description = ""
		}
		if s.Page.Cards.HidePicture {
			card.Image = ""
		}
		card.Attributes = shownAttributes(s.Page.Cards.Columns, card.Attributes)
		return card
	}
}

// A Scene is the context in which respondents compare arms. Its name is empty in studies without contexts.
type Scene struct {
	Name   string
	Format archive.TextFormat
}

// QuestionCards returns the context of the question at a position, and a function that makes cards as respondents see them in it.
// In a context, cards have nothing but the text of the arm, so that respondents do not know whose text it is.
func (c *Studies) QuestionCards(st study.Study, arms *archive.Catalogue,
	position study.Position,
) (Scene, func(arm int) archive.Card) {
	contexts := arms.Contexts
	if contexts == nil {
		return Scene{}, RespondentCards(st, c.Cards(st, arms))
	}
	number := contexts.At(st.Settings.Strategy.Seed, int64(position))
	return Scene{contexts.Names[number], contexts.Format}, func(arm int) archive.Card {
		return archive.Card{ID: arms.Arms.ID(arm), Text: contexts.Texts[number][arm]}
	}
}

// shownAttributes returns the attributes that respondents see, with the owner's names and units.
func shownAttributes(columns map[string]study.CardColumn, all []archive.AttributeValue) []archive.AttributeValue {
	if len(columns) == 0 {
		return all
	}
	var shown []archive.AttributeValue
	for _, a := range all {
		column := columns[a.Name]
		if column.Hidden {
			continue
		}
		if column.Unit != "" {
			a.Value += "\u00a0" + column.Unit
		}
		a.Name = cmp.Or(column.Name, a.Name)
		shown = append(shown, a)
	}
	return shown
}

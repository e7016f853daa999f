package study

import "bestpick/catalogue"

// Cards returns what makes the card of an arm as respondents see it. Owners see all that there is.
func (s Settings) Cards(arms *catalogue.Saved) func(arm int) catalogue.Card {
	whole := arms.Cards()
	if !s.Plain {
		return whole
	}
	return func(arm int) catalogue.Card {
		card := whole(arm)
		card.Attributes = nil
		return card
	}
}

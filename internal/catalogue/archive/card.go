package archive

import "bestpick/internal/catalogue"

// A Card has the parts of an arm that can be shown, as the owner wrote them.
type Card struct {
	ID          string           `json:"id"`
	Label       string           `json:"label,omitempty"`
	Description string           `json:"description,omitempty"`
	Image       string           `json:"image,omitempty"`
	Attributes  []AttributeValue `json:"attributes,omitempty"` // only attributes with a value
	Text        string           `json:"text,omitempty"`       // in the context of a question
}

// An AttributeValue is the value of an arm in one of the owner's columns, such as price 12.50.
type AttributeValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Card returns the card of an arm. The attributes of a profile are its levels.
func (s *Catalogue) Card(arm int) Card { return s.Cards()(arm) }

// Cards returns a function that makes the card of an arm. It is faster than [Catalogue.Card] for many
// arms of a product: it determines the allowed combinations once. The function is safe for concurrent
// use.
func (s *Catalogue) Cards() func(arm int) Card {
	attributes := s.attributes()
	return func(arm int) Card {
		card := Card{ID: s.Arms.ID(arm)}
		_, columns := s.texts()
		for k, text := range []*string{&card.Label, &card.Description, &card.Image} {
			if texts := *columns[k]; texts != nil {
				*text = texts[arm]
			}
		}
		for _, a := range attributes {
			if value := a.value(arm); value != "" {
				card.Attributes = append(card.Attributes, AttributeValue{a.name, value})
			}
		}
		return card
	}
}

// An attribute is a column of the owner, for listed arms and for products.
type attribute struct {
	name  string
	kind  catalogue.Kind
	value func(arm int) string
}

// attributes returns all attributes, in the owner's order.
func (s *Catalogue) attributes() []attribute {
	var attributes []attribute
	if s.Profiles != nil {
		for k, value := range s.Profiles.Values(s.Arms.Product()) {
			a := s.Profiles.Attributes[k]
			attributes = append(attributes, attribute{a.Name, a.Kind, value})
		}
		return attributes
	}
	for k := range s.Attributes {
		c := &s.Attributes[k]
		attributes = append(attributes, attribute{c.Name, c.Kind, c.Text})
	}
	return attributes
}

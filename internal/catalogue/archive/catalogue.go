// Package archive opens files of arms of any format, saves the encoded arms with all that a study
// needs of them, loads saved catalogues bit for bit, adds arms to them, and exports arms.
package archive

import (
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/product"
)

// A Catalogue is all that a study needs of its arms. Labels, Descriptions and Images have one text per arm, or are nil.
type Catalogue struct {
	Encoding                     *encode.Encoding
	Arms                         *choice.Catalogue
	Labels, Descriptions, Images []string

	// Attributes are the owner's columns, in the order of the file: the features, except
	// embeddings, and columns that are only shown. An added arm may lack the columns that the encoding omits.
	Attributes []catalogue.Column

	// Profiles are the attributes of a product; nil for listed arms.
	Profiles *product.Profiles

	// Contexts have the texts of the arms that respondents compare; nil if they compare the arms themselves.
	Contexts *Contexts
}

// texts returns the columns besides the id, by name, in the order in which they are written.
func (s *Catalogue) texts() (names []string, columns []*[]string) {
	return []string{catalogue.Label.String(), catalogue.Description.String(), catalogue.Image.String()},
		[]*[]string{&s.Labels, &s.Descriptions, &s.Images}
}

// First returns the catalogue before arms were added, with its first n ≥ 2 arms, sharing memory where possible. Replays of a
// study with added arms use it. It panics in the same cases as [choice.Catalogue.First].
func (s *Catalogue) First(n int) *Catalogue {
	if n == s.Arms.Len() {
		return s
	}
	first := &Catalogue{Encoding: s.Encoding, Arms: encode.First(s.Arms, n)}
	_, all := s.texts()
	_, texts := first.texts()
	for k, column := range all {
		if *column != nil {
			*texts[k] = (*column)[:n:n]
		}
	}
	for k := range s.Attributes {
		first.Attributes = append(first.Attributes, s.Attributes[k].First(n))
	}
	first.Contexts = s.Contexts.first(n)
	return first
}

// PartWorths returns the part-worths of an estimate θ of the encoded features, with its covariance:
// see [encode.Encoding.PartWorths].
func (s *Catalogue) PartWorths(theta []float64, covariance mat.Symmetric) []encode.PartWorth {
	return s.Encoding.PartWorths(theta, covariance, s.ownColumn)
}

// ownColumn returns the owner's column with a name: for a product, with one row per level.
func (s *Catalogue) ownColumn(name string) *catalogue.Column {
	for k := range s.Attributes {
		if s.Attributes[k].Name == name {
			return &s.Attributes[k]
		}
	}
	if s.Profiles != nil {
		for _, a := range s.Profiles.Attributes {
			if a.Name == name {
				column := a.Column(choice.UpTo(len(a.Levels)))
				return &column
			}
		}
	}
	return &catalogue.Column{}
}

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

// Cards returns a function that makes the card of an arm. It is faster than [Catalogue.Card] for many arms of a product: it
// determines the allowed combinations once. The function is safe for concurrent use.
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

// Package archive opens files of arms of any format, saves the encoded arms with all that a study
// needs of them, loads saved catalogues bit for bit, adds arms to them, and exports arms.
package archive

import (
	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/product"
)

// A Catalogue is all that a study needs of its arms. Labels, Descriptions and Images have one text per
// arm, or are nil.
type Catalogue struct {
	Encoding                     *encode.Encoding
	Arms                         *choice.Catalogue
	Labels, Descriptions, Images []string

	// Attributes are the owner's columns, in the order of the file: the features, except
	// embeddings. An added arm may lack the columns that the encoding omits.
	Attributes []catalogue.Column

	// Profiles are the attributes of a product; nil for listed arms.
	Profiles *product.Profiles

	// Contexts have the texts of the arms that respondents compare; nil if they compare the arms
	// themselves.
	Contexts *Contexts
}

// texts returns the columns besides the id, by name, in the order in which they are written.
func (s *Catalogue) texts() (names []string, columns []*[]string) {
	return []string{catalogue.Label.String(), catalogue.Description.String(), catalogue.Image.String()}, []*[]string{&s.Labels, &s.Descriptions, &s.Images}
}

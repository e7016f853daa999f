package archive

import (
	"gonum.org/v1/gonum/mat"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
)

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
				all := make([]int, len(a.Levels))
				for l := range all {
					all[l] = l
				}
				column := a.Column(all)
				return &column
			}
		}
	}
	return &catalogue.Column{}
}

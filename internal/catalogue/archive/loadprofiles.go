package archive

import (
	"archive/zip"
	"errors"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/product"
	"bestpick/internal/table"
)

// loadProfiles reads the profiles of a saved product, whose encoding has the kinds of the
// attributes.
func (s *Catalogue) loadProfiles(archive *zip.Reader, size int64, limits table.Limits) error {
	text, err := readPart(archive, profilesFile, size, limits)
	if err != nil {
		return err
	}
	s.Profiles, err = product.Parse(text, profilesFile, func(a product.Attribute) catalogue.Kind {
		if c := s.Encoding.Coding(a.Name); c != nil {
			return c.Kind
		}
		return catalogue.Category // the kind of a constant does not matter
	})
	if err != nil {
		return damaged(profilesFile, err)
	}
	fresh, err := product.NewEncoding(s.Profiles)
	if err != nil {
		return damaged(profilesFile, err)
	}
	if !encode.SameColumns(fresh, s.Encoding) {
		return damaged(profilesFile, errors.New("its attributes are not those of the encoding"))
	}
	if s.Arms, err = s.Profiles.Encode(s.Encoding); err != nil {
		return damaged(profilesFile, err)
	}
	return nil
}

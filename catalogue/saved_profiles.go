package catalogue

import (
	"archive/zip"
	"errors"
	"io"

	"bestpick/table"
)

func writeProfiles(w io.Writer, s *Saved) error { return s.Profiles.Write(w) }

// loadProfiles reads those of a saved product, whose encoding says what the attributes are.
func (s *Saved) loadProfiles(archive *zip.Reader, size int64, limits table.Limits) error {
	text, err := readPart(archive, profilesFile, size, limits)
	if err != nil {
		return err
	}
	s.Profiles, err = ParseProfiles(text, profilesFile, func(a Attribute) Kind {
		if c := s.Encoding.Coding(a.Name); c != nil {
			return c.Kind
		}
		return Category // it does not matter what a constant is
	})
	if err != nil {
		return damaged(profilesFile, err)
	}
	fresh, err := NewProductEncoding(s.Profiles)
	if err != nil {
		return damaged(profilesFile, err)
	}
	if !SameColumns(fresh, s.Encoding) {
		return damaged(profilesFile, errors.New("its attributes are not those of the encoding"))
	}
	if s.Arms, err = s.Profiles.Encode(s.Encoding); err != nil {
		return damaged(profilesFile, err)
	}
	return nil
}

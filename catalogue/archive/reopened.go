package archive

import "bestpick/catalogue"

// Reopened returns the arms with their warnings, as [Open] does, but without the table that they were
// encoded from. Columns that the catalogue does not have any more have no warnings.
func (s *Catalogue) Reopened() *Encoded {
	e := &Encoded{Catalogue: *s}
	if s.Profiles != nil {
		e.Warnings = s.Encoding.NearlyWarnings()
	} else {
		e.Warnings = s.Encoding.Warnings(&catalogue.Table{Columns: s.Attributes}, s.Arms)
	}
	return e
}

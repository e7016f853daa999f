package catalogue

import "slices"

// Reopened returns the arms with what there is to say about them, as [Open] does, but without the table that they
// were encoded from. What is doubtful about columns that the catalogue does not have any more is not said.
func (s *Saved) Reopened() *Encoded {
	e := &Encoded{Saved: *s}
	if s.Profiles != nil {
		e.Warnings = s.Encoding.nearlyWarnings()
		return e
	}
	t := &Table{Columns: s.Attributes}
	if slices.ContainsFunc(s.Encoding.Columns, func(c *Coding) bool { return c.Kind != Embedding && c.needed() && t.Column(c.Column) == nil }) {
		e.Warnings = s.Encoding.armWarnings(s.Arms)
		return e
	}
	e.Warnings = s.Encoding.Warnings(t, s.Arms)
	return e
}

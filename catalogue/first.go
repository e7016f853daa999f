package catalogue

import "bestpick/choice"

// First returns the catalogue as it was when it had its first n arms, at least two, sharing the
// memory where it can: a study to which arms were added is replayed with it. Its arms are those
// of [choice.Catalogue.First], but in 64 bits again where so few of them were encoded in 64
// bits, so that sums are rounded as they were. It panics where that does.
func (s *Saved) First(n int) *Saved {
	if n == s.Arms.Len() {
		return s
	}
	first := &Saved{Encoding: s.Encoding, Arms: s.Arms.First(n)}
	if d := s.Arms.Dim(); n*d <= wideCells && s.Arms.Len()*d > wideCells {
		first.Arms = widened(first.Arms)
	}
	_, all := s.texts()
	_, texts := first.texts()
	for k, column := range all {
		if *column != nil {
			*texts[k] = (*column)[:n:n]
		}
	}
	for k := range s.Attributes {
		first.Attributes = append(first.Attributes, s.Attributes[k].first(n))
	}
	return first
}

// widened returns arms with their features in 64 bits.
func widened(arms *choice.Catalogue) *choice.Catalogue {
	ids, rows := make([]string, arms.Len()), make([][]float64, arms.Len())
	for i := range ids {
		ids[i], rows[i] = arms.ID(i), arms.Arm(i)
	}
	wide, err := choice.NewCatalogue(ids, arms.Features(), rows)
	if err != nil {
		panic("catalogue: " + err.Error()) // they are arms already
	}
	return wide
}

// first returns the first rows of an attribute.
func (c *Column) first(n int) Column {
	first := *c
	if c.Numbers != nil {
		first.Numbers, first.writing = c.Numbers[:n:n], c.writing.first(n)
	} else {
		first.Texts = c.Texts[:n:n]
	}
	return first
}

package archive

import "bestpick/internal/catalogue/encode"

// First returns the catalogue as it was with its first n arms, at least two, sharing memory where it
// can. A study to which arms were added is replayed with it. It panics where
// [choice.Catalogue.First] does.
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
	return first
}

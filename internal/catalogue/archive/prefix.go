package archive

import "bestpick/internal/catalogue/encode"

// First returns the catalogue before arms were added, with its first n ≥ 2 arms, sharing memory
// where possible. Replays of a study with added arms use it. It panics in the same cases as
// [choice.Catalogue.First].
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

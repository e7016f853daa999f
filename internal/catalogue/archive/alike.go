package archive

import (
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
)

// alikeWarnings warns of arms with the same label, description and image: respondents can tell them apart by their
// attributes only.
func (s *Catalogue) alikeWarnings() []encode.Warning {
	if s.Labels == nil {
		return nil
	}
	type shown struct{ label, description, image string }
	seen, alike := map[shown]int{}, []string{}
	for arm, label := range s.Labels {
		one := shown{label: label}
		if s.Descriptions != nil {
			one.description = s.Descriptions[arm]
		}
		if s.Images != nil {
			one.image = s.Images[arm]
		}
		if seen[one]++; label != "" && seen[one] == 2 {
			alike = append(alike, label)
		}
	}
	if len(alike) == 0 {
		return nil
	}
	return []encode.Warning{{Text: "several arms have the same label, and respondents may not tell them apart: " + catalogue.Enumerate(alike, maxListed)}}
}

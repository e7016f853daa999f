package api

import (
	"reflect"

	"bestpick/internal/study"
	"bestpick/wire"
)

// readPage returns the presentation of a page on the wire.
func readPage(p wire.Page) study.Presentation {
	var texts map[string]study.Texts
	if len(p.Texts) > 0 {
		texts = map[string]study.Texts{}
	}
	for language, t := range p.Texts {
		texts[language] = study.Texts(t)
	}
	return study.Presentation{Texts: texts, Privacy: p.Privacy, Redirect: p.Redirect, Logo: p.Logo, Accent: p.Accent}
}

// writePage returns a presentation as it goes over the wire, or nil for the default.
func writePage(p study.Presentation) *wire.Page {
	if reflect.DeepEqual(p, study.Presentation{}) {
		return nil
	}
	texts := map[string]wire.PageTexts{}
	for language, t := range p.Texts {
		texts[language] = wire.PageTexts(t)
	}
	return &wire.Page{Texts: texts, Privacy: p.Privacy, Redirect: p.Redirect, Logo: p.Logo, Accent: p.Accent}
}

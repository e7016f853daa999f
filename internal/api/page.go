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
	return study.Presentation{
		Texts: texts, Privacy: p.Privacy, Redirect: p.Redirect, Logo: p.Logo, Accent: p.Accent, Cards: readCards(p.Cards),
	}
}

// readCards returns the content of cards on the wire.
func readCards(c *wire.CardContent) study.CardContent {
	if c == nil {
		return study.CardContent{}
	}
	content := study.CardContent{HideDescription: c.HideDescription, HidePicture: c.HidePicture}
	for name, column := range c.Columns {
		if content.Columns == nil {
			content.Columns = map[string]study.CardColumn{}
		}
		content.Columns[name] = study.CardColumn(column)
	}
	return content
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
	return &wire.Page{
		Texts: texts, Privacy: p.Privacy, Redirect: p.Redirect, Logo: p.Logo, Accent: p.Accent, Cards: writeCards(p.Cards),
	}
}

// writeCards returns the content of cards as it goes over the wire, or nil for the default.
func writeCards(c study.CardContent) *wire.CardContent {
	if c.IsZero() {
		return nil
	}
	content := &wire.CardContent{
		Columns: map[string]wire.CardColumn{}, HideDescription: c.HideDescription, HidePicture: c.HidePicture,
	}
	for name, column := range c.Columns {
		content.Columns[name] = wire.CardColumn(column)
	}
	return content
}

// readProfile returns profile questions on the wire.
func readProfile(p wire.Profile) (questions []study.ProfileQuestion) {
	for _, q := range p.Questions {
		read := study.ProfileQuestion{Name: q.Name, Text: q.Text, After: q.After, Segment: q.Segment}
		for _, c := range q.Choices {
			read.Choices = append(read.Choices, study.ProfileChoice(c))
		}
		questions = append(questions, read)
	}
	return questions
}

// writeProfile returns profile questions as they go over the wire, or nil if there are none.
func writeProfile(questions []study.ProfileQuestion) *wire.Profile {
	if len(questions) == 0 {
		return nil
	}
	p := &wire.Profile{}
	for _, q := range questions {
		written := wire.ProfileQuestion{Name: q.Name, Text: q.Text, After: q.After, Segment: q.Segment}
		for _, c := range q.Choices {
			written.Choices = append(written.Choices, wire.ProfileChoice(c))
		}
		p.Questions = append(p.Questions, written)
	}
	return p
}

package api

import (
	"bestpick/internal/study"
	"bestpick/wire"
)

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

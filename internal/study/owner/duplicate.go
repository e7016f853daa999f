package owner

import (
	"context"
	"crypto/rand"
	"strings"

	"bestpick/internal/study"
)

// Duplicate adds a draft with another name and the arms, pictures, settings and presentation of a study. The copy has
// no answers and no panel, and asks other questions.
func (s *Owner) Duplicate(ctx context.Context, id, name string) (study.Study, error) {
	original, err := s.Store.Study(ctx, id)
	if err != nil {
		return study.Study{}, err
	}
	arms, err := s.Store.Catalogue(ctx, id)
	if err != nil {
		return study.Study{}, err
	}
	pictures, err := readPictures(ctx, s.Store, id)
	if err != nil {
		return study.Study{}, err
	}
	now := s.Clock()
	st := study.Study{
		ID: strings.ToLower(rand.Text()), Name: shortened(name), Prompt: original.Prompt, Settings: original.Settings, Arms: original.Arms,
		Withdrawn: original.Withdrawn, Page: original.Page, Profile: original.Profile, State: study.Draft, Version: 1, Created: now, Changed: now,
	}
	st.Settings.Strategy.Seed = randomSeed()
	return st, s.add(ctx, st, arms, pictures)
}

// shortened returns at most as many characters of a text as the name of a study may have.
func shortened(text string) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), study.MaxName)])
}

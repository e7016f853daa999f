package owner

import (
	"context"
	"fmt"

	"bestpick/choice"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// maxPriorFeatures is the most features of a study with a prior. A study is stored and read as a whole,
// and its prior has d + d(d+1)/2 numbers.
const maxPriorFeatures = 64

// SetPrior replaces the prior of a draft without answers by a summary of recorded choices: see
// [racing.Prior]. read receives the arms and what respondents may answer, and returns the choices. A
// study with a prior has no fallback. With Any, read may be called again.
func (s *Owner) SetPrior(
	ctx context.Context, id string, version int, read func(*choice.Catalogue, choice.Offer) (*choice.Tally, error),
) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		if st.State != study.Draft || st.Imported {
			return nil, study.ErrStarted
		}
		arms, err := s.Live.Catalogue(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := mayHavePrior(st.Settings, arms.Arms); err != nil {
			return nil, err
		}
		settings := &st.Settings.Strategy
		tally, err := read(arms.Arms, settings.Offer)
		if err != nil {
			return nil, err
		}
		if settings.Prior, err = racing.NewPrior(arms.Arms, tally); err != nil {
			return nil, refusedPrior(err.Error())
		}
		settings.Fallback = 0
		return nil, s.checkStudy(*st, arms)
	})
}

// RemovePrior removes the prior of a draft. It is idempotent.
func (s *Owner) RemovePrior(ctx context.Context, id string, version int) (study.Study, error) {
	return s.change(ctx, id, version, func(st *study.Study) (*archive.Catalogue, error) {
		if st.State != study.Draft {
			return nil, study.ErrStarted
		}
		st.Settings.Strategy.Prior = nil
		return nil, nil
	})
}

// mayHavePrior returns an error if settings or arms rule out a prior. The strategy checks the others.
func mayHavePrior(s study.Settings, arms *choice.Catalogue) error {
	switch {
	case s.Strategy.Assume == strategy.Majority:
		return refusedPrior("a prior needs a study that assumes linear, and this study assumes majority")
	case arms.Dim() > maxPriorFeatures:
		return refusedPrior(fmt.Sprintf("a prior needs arms with at most %d features, got %d", maxPriorFeatures, arms.Dim()))
	}
	return nil
}

// refusedPrior returns the error of a refused prior.
func refusedPrior(why string) error { return study.Invalid("prior", why) }

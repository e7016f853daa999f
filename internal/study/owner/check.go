package owner

import (
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// checkStudy returns an error unless a study can be run with its arms.
func (s *Owner) checkStudy(st study.Study, arms *archive.Catalogue) error {
	settings := st.Settings
	if problems := settings.Check(arms.Arms, len(st.Withdrawn)); problems != nil {
		return problems
	}
	made, err := s.Strategies.New(settings, arms.Arms)
	if err != nil {
		return study.Invalid(strategyField(settings), err.Error())
	}
	if _, changes := made.(strategy.Changer); !changes && len(st.Withdrawn) > 0 {
		return study.Invalid("settings.strategy", "the strategy does not allow arms to be withdrawn")
	}
	return nil
}

// strategyField returns the field of a problem with the strategy of a study.
func strategyField(s study.Settings) string {
	if s.Kind != "" {
		return "settings.strategy"
	}
	return "settings"
}

// ofKind returns settings without those that a strategy of the program does not use. Racing keeps its settings: see [Guarantee].
func ofKind(s study.Settings) study.Settings {
	if s.Kind != "" {
		r := s.Strategy
		s.Strategy = racing.Settings{K: r.K, Delta: r.Delta, Epsilon: r.Epsilon, Seed: r.Seed}
	}
	return s
}

// needs returns an error unless the strategy of a study has a capability, such as [strategy.Changer].
// Racing has all.
func needs[capability any](kinds replay.Strategies, st study.Study, arms *archive.Catalogue, otherwise error) error {
	if st.Settings.Kind == "" {
		return nil
	}
	made, err := kinds.New(st.Settings, arms.Arms)
	if err != nil {
		return err
	}
	if _, has := made.(capability); !has {
		return otherwise
	}
	return nil
}

// withdrawnClicks is the reason why no arm can be withdrawn, even from a draft: the strategy starts
// with all arms.
const withdrawnClicks = "with random clicks in the model, no arm can be withdrawn"

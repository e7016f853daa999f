package owner

import (
	"fmt"
	"time"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// checkStudy returns an error unless a study can be run with its arms.
func (s *Owner) checkStudy(st study.Study, arms *archive.Catalogue) error {
	const negative, tooLong, day = "must not be negative", "must be at most %d days", 24 * time.Hour
	settings := st.Settings
	for _, c := range []struct {
		bad     bool
		field   string
		problem string
	}{
		{settings.Picks < 1 || settings.Picks >= settings.Strategy.K, "settings.picks", fmt.Sprintf("must be 1 to %d, one fewer than the arms in a question", settings.Strategy.K-1)},
		{settings.Strategy.Offer.BestWorst && settings.Picks > 1, "settings.best_worst", "asks for the best and the worst arm, so picks must be 1"},
		{settings.Budget < 0, "settings.budget", negative},
		{settings.Each < 0, "settings.each", negative},
		{settings.Lease < 0, "settings.lease", negative},
		{settings.Lease > study.MaxLease, "settings.lease", fmt.Sprintf(tooLong, study.MaxLease/day)},
		{settings.Grace > study.MaxGrace, "settings.grace", fmt.Sprintf(tooLong, study.MaxGrace/day)},
		{settings.Plain && arms.Profiles != nil, "settings.plain_cards", "plain cards hide attributes, but profiles of a product have nothing else to show"},
		{settings.Strategy.Model.Clicks && len(st.Withdrawn) > 0, "settings", withdrawnClicks},
	} {
		if c.bad {
			return study.Invalid(c.field, c.problem)
		}
	}
	if arms.Arms.Len()-len(st.Withdrawn) < settings.Strategy.K {
		return study.Invalid("settings.k", fmt.Sprintf("a question shows %d arms, but the study has %d", settings.Strategy.K, arms.Arms.Len()-len(st.Withdrawn)))
	}
	if err := checkGuarantee(settings.Strategy, arms); err != nil {
		return err
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

package owner

import (
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/strategy/racing"
)

// checkStudy returns an error unless a study can be run with its arms.
func (s *Owner) checkStudy(st study.Study, arms *archive.Catalogue) error {
	settings := st.Settings
	if problems := settings.Check(arms.Arms, len(st.Withdrawn)); problems != nil {
		return problems
	}
	if _, err := racing.New(arms.Arms, settings.Strategy); err != nil {
		return study.Invalid("settings", err.Error())
	}
	return nil
}

// withdrawnClicks is the reason why no arm can be withdrawn, even from a draft: the strategy starts
// with all arms.
const withdrawnClicks = "with random clicks in the model, no arm can be withdrawn"

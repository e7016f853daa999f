package sqlite

import (
	"bestpick/internal/store/recording"
	"bestpick/internal/study"
)

// admit returns nil if a respondent with a limit of each questions may have another outcome. It
// returns ErrTaken rather than ErrEnough if the question has a standing outcome, so that
// respondents at the limit can repeat an answer. The count includes earlier writes of the
// transaction.
func (r *recorder) admit(l *ledger, each int, e recording.Entry) error {
	if each == study.NoLimit || e.Kind != study.Answered && e.Kind != study.Skipped {
		return nil
	}
	var questions int
	if err := r.row(r.questions, l.study, e.Respondent).Scan(&questions); err != nil || questions < each {
		return err
	}
	var stands bool
	if err := r.row(r.stands, l.study, e.Position).Scan(&stands); err != nil {
		return err
	}
	if stands {
		return study.ErrTaken
	}
	return study.ErrEnough
}

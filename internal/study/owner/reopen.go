package owner

import (
	"context"
	"fmt"
	"time"

	"bestpick/internal/study"
	"bestpick/strategy"
)

const (
	deadlineField = "settings.deadline"
	pastDeadline  = "the deadline must be in the future"
)

// reopen prepares a study that is done for being opened again: it removes the limits that the study
// has reached. It returns an error if the last verdict is decided.
//
// Where a limit has completed all respondents, it also returns an error until their sessions would
// be over. Answers that a respondent gives after their completion are then no evidence, even if an
// erasure counts all answers again, see [study.Sessions].
func (s *Owner) reopen(ctx context.Context, st *study.Study) error {
	p, err := s.Reader.Progress(ctx, st.ID)
	if err != nil {
		return err
	}
	if p.Verdict.Status != strategy.Asking.String() {
		return &study.Error{Code: study.CodeWrongState, Message: "the study is decided, so it cannot be opened again"}
	}
	now := s.Clock()
	if sessions := p.Verdict.Sessions; sessions != nil && sessions.All {
		if over := p.At.Add(sessions.Length); now.Before(over) {
			wait := over.Sub(now).Round(time.Second)
			return study.Invalid("state", fmt.Sprintf("respondents may still be in their sessions: open the study again in %s", wait))
		}
	}
	if st.Reason == study.Spent {
		st.Settings.Budget = 0
	}
	if st.Settings.Overdue(now) {
		st.Settings.Deadline = time.Time{}
	}
	return nil
}

package dispatch

import (
	"context"

	"bestpick/internal/study"
)

// Admit stores a respondent's answers to the profile questions before the first question, or after the last. All of them
// must be answered. It returns ErrQuota if the study has enough respondents of this group.
func (s *Dispatcher) Admit(ctx context.Context, id, respondent string, after bool, answers map[string]string) error {
	st, err := s.Live.CachedStudy(ctx, id)
	if err != nil {
		return err
	}
	if !after && st.State != study.Open {
		return st.NotOpen()
	}
	if err := study.CheckText(respondent); err != nil || respondent == "" {
		return study.Invalid("respondent", "a name is required, of at most 1000 bytes")
	}
	read := map[string]string{}
	for _, q := range st.ProfileQuestions(after) {
		if read[q.Name], err = q.Read(answers[q.Name]); err != nil {
			return err
		}
	}
	return s.Store.Admit(ctx, id, respondent, read)
}

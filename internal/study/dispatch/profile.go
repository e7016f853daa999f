package dispatch

import (
	"context"

	"bestpick/internal/study"
)

// Admit stores a respondent's answers to the profile questions before the first question, or after the last. All of them
// must be answered. A key names the member of the panel in place of the respondent; a study with a panel requires it. The
// rate limit of questions applies. It returns the name under which the answers are stored. It returns ErrQuota if the
// study has enough respondents of this group now, and ErrIneligible if the study is for others.
func (s *Dispatcher) Admit(
	ctx context.Context, id, respondent, key string, after bool, answers map[string]string,
) (string, error) {
	if err := s.limit(Caller(id, respondent, key)); err != nil {
		return "", err
	}
	st, err := s.Live.CachedStudy(ctx, id)
	if err != nil {
		return "", err
	}
	if key != "" {
		member, err := s.Live.Member(ctx, st, study.HashKey(key))
		if err != nil {
			return "", err
		}
		respondent = member.Name
	} else if st.Panel {
		return "", study.ErrPanel
	}
	return respondent, s.admit(ctx, st, respondent, after, answers)
}

// admit checks and stores the answers of a respondent who is known.
func (s *Dispatcher) admit(ctx context.Context, st study.Study, respondent string, after bool, answers map[string]string) error {
	if !after && st.State != study.Open {
		return st.NotOpen()
	}
	if err := study.CheckText(respondent); err != nil || respondent == "" {
		return study.Invalid("respondent", "a name is required, of at most 1000 bytes")
	}
	read := map[string]string{}
	for _, q := range st.ProfileQuestions(after) {
		var err error
		if read[q.Name], err = q.Read(answers[q.Name]); err != nil {
			return err
		}
	}
	if err := s.Store.Admit(ctx, st.ID, respondent, read); err != nil || after {
		return err
	}
	now := s.Clock()
	return s.Live.Hold(ctx, st, respondent, now, now) // reserves nothing: that is for people with a question
}

package dispatch

import (
	"context"
	"errors"

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
	if respondent, err = s.respondent(ctx, st, respondent, key); err != nil {
		return "", err
	}
	return respondent, s.admit(ctx, st, respondent, after, answers)
}

// respondent returns the name of a respondent: of the member with a key, which a study with a panel requires.
func (s *Dispatcher) respondent(ctx context.Context, st study.Study, respondent, key string) (string, error) {
	if key != "" {
		member, err := s.Live.Member(ctx, st, study.HashKey(key))
		return member.Name, err
	}
	if st.Panel {
		return "", study.ErrPanel
	}
	if err := study.CheckText(respondent); err != nil || respondent == "" {
		return "", study.Invalid("respondent", "a name is required, of at most 1000 bytes")
	}
	return respondent, nil
}

// Agree stores that a respondent agrees to a text of consent of the study, which its ID names. An earlier agreement
// stays.
func (s *Dispatcher) Agree(ctx context.Context, id, respondent, key, consent string) error {
	st, err := s.asking(ctx, id)
	if err != nil {
		return err
	}
	if respondent, err = s.respondent(ctx, st, respondent, key); err != nil {
		return err
	}
	text := st.Page.ConsentText(consent)
	if text == "" {
		return study.Invalid("consent", "must be the id of a text of consent of the study")
	}
	if _, err := s.Live.Admission(ctx, st, respondent); !errors.Is(err, study.ErrConsent) {
		return nil // they have agreed; another error is found when they ask
	}
	return s.Store.Agree(ctx, st.ID, respondent, text, s.Clock())
}

// admit checks and stores the answers of a respondent who is known.
func (s *Dispatcher) admit(ctx context.Context, st study.Study, respondent string, after bool, answers map[string]string) error {
	if !after && st.State != study.Open {
		return st.NotOpen()
	}
	if _, err := s.Live.Admission(ctx, st, respondent); errors.Is(err, study.ErrConsent) {
		return err
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

package dispatch

import (
	"context"
	"crypto/hmac"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"bestpick/internal/study"
)

// Admit stores a respondent's answers to the profile questions before the first question, while the study is open, or after
// the last, if they have answered one. All of them must be answered. A complete profile stays as it is, so it is stored once
// per person; the rate limit of questions applies. It returns the name under which the answers are stored. It returns
// ErrQuota if the study has enough respondents of this group now, and ErrIneligible if the study is for others.
func (s *Dispatcher) Admit(
	ctx context.Context, id string, who Who, after bool, answers map[string]string,
) (string, error) {
	if err := s.limit(who.Caller(id)); err != nil {
		return "", err
	}
	st, err := s.Live.CachedStudy(ctx, id)
	if err != nil {
		return "", err
	}
	respondent, err := s.respondent(ctx, st, who)
	if err != nil {
		return "", err
	}
	return respondent.name, s.admit(ctx, st, respondent.name, after, answers)
}

// respondent returns a respondent: the member with a key, or the person with the id in the link or the name in the
// request. It returns ErrPanel or ErrNoID if the audience of the study requires one of the former.
func (s *Dispatcher) respondent(ctx context.Context, st study.Study, who Who) (person, error) {
	name, audience := who.Name, st.Settings.Audience
	switch {
	case who.Key != "":
		hash := study.HashKey(who.Key)
		member, err := s.Live.Member(ctx, st, hash)
		return person{name: member.Name, segment: member.Segment, key: hash}, err
	case audience == study.Personal:
		return person{}, study.ErrPanel
	case audience.HasIDs() && who.ID == "", audience == study.SignedIDs && !s.signed(st.ID, who):
		return person{}, study.ErrNoID
	case audience.HasIDs():
		name = who.ID
	}
	if err := study.CheckText(name); err != nil {
		return person{}, study.Invalid("respondent", err.Error())
	}
	return person{name: name, alone: who.Once}, nil
}

// Pass returns the name of a respondent of an open link with a signature, which proves that the server has given it to them.
func (s *Dispatcher) Pass(id, name string) string { return pass(s.MAC, id, name) }

// Named returns the name in a pass of a study. It reports false if the signature is wrong.
func (s *Dispatcher) Named(id, text string) (name string, ok bool) {
	name, _, _ = strings.Cut(text, ".")
	return name, slices.ContainsFunc(append([]MAC{s.MAC}, s.OtherMACs...), func(sum MAC) bool {
		return hmac.Equal([]byte(text), []byte(pass(sum, id, name)))
	})
}

func pass(sum MAC, id, name string) string {
	return name + "." + hex.EncodeToString(sum([]byte("name in " + id + ": " + name))[:16])
}

// IDKey returns the key that signs the ids in the links of a study.
func (s *Dispatcher) IDKey(id string) string {
	return idKey(s.MAC, id)
}

func idKey(sum MAC, id string) string { return hex.EncodeToString(sum([]byte("ids of " + id))) }

// signed reports whether the signature of a respondent's id is valid.
func (s *Dispatcher) signed(id string, who Who) bool {
	return slices.ContainsFunc(append([]MAC{s.MAC}, s.OtherMACs...), func(sum MAC) bool {
		return hmac.Equal([]byte(who.Signature), []byte(hex.EncodeToString(NewMAC([]byte(idKey(sum, id)))([]byte(who.ID)))))
	})
}

// Agree stores that a respondent agrees to a text of consent of the study, which its ID names. An earlier agreement stays.
func (s *Dispatcher) Agree(ctx context.Context, id string, who Who, consent string) error {
	st, err := s.asking(ctx, id)
	if err != nil {
		return err
	}
	respondent, err := s.respondent(ctx, st, who)
	if err != nil {
		return err
	}
	text := st.Page.ConsentText(consent)
	if text == "" {
		return study.Invalid("consent", "must be the id of a text of consent of the study")
	}
	if _, err := s.Live.Admission(ctx, st, respondent.name); !errors.Is(err, study.ErrConsent) {
		return nil // they have agreed; another error is found when they ask
	}
	return s.Store.Agree(ctx, st.ID, respondent.name, text, s.Clock())
}

// admit checks and stores the answers of a respondent who is known.
func (s *Dispatcher) admit(ctx context.Context, st study.Study, respondent string, after bool, answers map[string]string) error {
	now := s.Clock()
	if st = st.AsOf(now); !after && st.State != study.Open {
		return st.NotOpen()
	}
	switch _, err := s.Live.Admission(ctx, st, respondent); {
	case err == nil && !after: // the profile is complete, or the owner has removed the questions since
		return s.Live.Hold(ctx, st, respondent, now, now)
	case errors.Is(err, study.ErrConsent), err != nil && !after && !errors.Is(err, study.ErrProfile):
		return err
	case len(st.ProfileQuestions(after)) == 0:
		return nil
	}
	if after {
		history, err := s.Store.Respondent(ctx, st.ID, respondent)
		if err == nil && history.Questions == 0 {
			err = study.Invalid("respondent", "the profile questions at the end can be answered only after a question of the study")
		}
		if err != nil {
			return err
		}
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
	return s.Live.Hold(ctx, st, respondent, now, now) // reserves nothing: that is for people with a question
}

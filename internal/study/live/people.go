package live

import (
	"context"
	"errors"
	"time"

	"bestpick/internal/study"
)

// An Admission says that a respondent may be asked.
type Admission struct {
	Segment string // that their profile decides; empty if no profile question asks for it
	Kept    bool   // they keep their places, see [study.Profiles.Hold]
}

// Admission returns the admission of a respondent, or the error of [study.Study.Admit].
func (c *Studies) Admission(ctx context.Context, st study.Study, respondent string) (a Admission, err error) {
	questions := st.ProfileQuestions(false)
	if len(questions) == 0 && !st.Page.Asks() {
		return a, nil
	}
	if respondent == "" {
		return a, study.Invalid("respondent", "a name is required, because the study has profile questions or asks for consent")
	}
	known := false
	c.with(st.ID, false, func(e *entry) { a, known = e.admissions.get(st.Version, respondent) })
	if known {
		return a, nil
	}
	profile, err := c.store.Profile(ctx, st.ID, respondent)
	if err == nil {
		err = st.Admit(profile)
	}
	if err != nil {
		return a, err
	}
	for _, q := range questions {
		if q.Segment {
			a.Segment = profile.Answers[q.Name]
		}
	}
	c.admit(st, respondent, a)
	return a, nil
}

func (c *Studies) admit(st study.Study, respondent string, a Admission) {
	c.with(st.ID, true, func(e *entry) { e.admissions.put(st.Version, respondent, a) })
}

// Hold reserves the places of a respondent until a time, or for good until [study.Kept]: [study.Profiles.Hold]. It
// does nothing if the study has no groups, or the respondent is known to keep their places.
func (c *Studies) Hold(ctx context.Context, st study.Study, respondent string, now, until time.Time) error {
	if !st.Grouped() || respondent == "" {
		return nil
	}
	a, err := c.Admission(ctx, st, respondent)
	if err != nil || a.Kept {
		return err
	}
	if err := c.store.Hold(ctx, st.ID, respondent, now, until); err != nil {
		return err
	}
	if a.Kept = until.Equal(study.Kept); a.Kept {
		c.admit(st, respondent, a)
	}
	return nil
}

// ForgetProfiles makes Admission read the profiles of a study again.
func (c *Studies) ForgetProfiles(id string) {
	c.with(id, false, func(e *entry) { e.admissions = versioned[Admission]{} })
}

// maxPeople is the minimum number of respondents, and of members of the panel, that are kept per study.
const maxPeople = 25_000

// Member returns the panel member whose key has the given hash, or ErrKey.
func (c *Studies) Member(ctx context.Context, st study.Study, hash string) (m study.Member, err error) {
	known := false
	c.with(st.ID, false, func(e *entry) { m, known = e.members.get(st.Version, hash) })
	if known {
		return m, nil
	}
	m, err = c.store.Member(ctx, st.ID, hash)
	switch {
	case errors.Is(err, study.ErrNoMember):
		return study.Member{}, study.ErrKey
	case err != nil:
		return study.Member{}, err
	}
	c.with(st.ID, true, func(e *entry) { e.members.put(st.Version, hash, m) })
	return m, nil
}

package live

import (
	"context"
	"errors"
	"time"

	"bestpick/internal/study"
)

// keptProfiles caches the admissions of respondents at a version of the study.
type keptProfiles struct {
	version    int
	admissions generations[string, Admission]
}

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
	c.with(st.ID, false, func(e *entry) {
		if e.profiles.version == st.Version {
			a, known = e.profiles.admissions.get(respondent)
		}
	})
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
	c.with(st.ID, true, func(e *entry) {
		if e.profiles.version != st.Version {
			e.profiles = keptProfiles{version: st.Version}
		}
		e.profiles.admissions.put(respondent, a, maxMembers)
	})
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
	c.with(id, false, func(e *entry) { e.profiles = keptProfiles{} })
}

// maxMembers is the minimum number of members that are kept per panel.
const maxMembers = 25_000

// Member returns the panel member whose key has the given hash, or ErrKey.
func (c *Studies) Member(ctx context.Context, st study.Study, hash string) (m study.Member, err error) {
	known := false
	c.with(st.ID, false, func(e *entry) {
		if e.panel.version == st.Version {
			m, known = e.panel.members.get(hash)
		}
	})
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
	c.with(st.ID, true, func(e *entry) {
		if e.panel.version != st.Version {
			e.panel = keptPanel{version: st.Version}
		}
		e.panel.members.put(hash, m, maxMembers)
	})
	return m, nil
}

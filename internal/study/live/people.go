package live

import (
	"context"
	"errors"

	"bestpick/internal/study"
)

// keptProfiles caches the segments of admitted respondents at a version of the study.
type keptProfiles struct {
	version  int
	segments generations[string, string]
}

// Admission returns the segment in the profile of a respondent, if a profile question asks for it. It returns
// ErrProfile if profile questions are unanswered, and ErrQuota if the respondent was refused.
func (c *Studies) Admission(ctx context.Context, st study.Study, respondent string) (segment string, err error) {
	questions := st.ProfileQuestions(false)
	if len(questions) == 0 {
		return "", nil
	}
	if respondent == "" {
		return "", study.Invalid("respondent", "a name is required, because the study has profile questions")
	}
	known := false
	c.with(st.ID, false, func(e *entry) {
		if e.profiles.version == st.Version {
			segment, known = e.profiles.segments.get(respondent)
		}
	})
	if known {
		return segment, nil
	}
	profile, err := c.store.Profile(ctx, st.ID, respondent)
	switch {
	case err != nil:
		return "", err
	case profile.Refused:
		return "", study.ErrQuota
	case len(profile.Missing(questions)) > 0:
		return "", study.ErrProfile
	}
	for _, q := range questions {
		if q.Segment {
			segment = profile.Answers[q.Name]
		}
	}
	c.with(st.ID, true, func(e *entry) {
		if e.profiles.version != st.Version {
			e.profiles = keptProfiles{version: st.Version}
		}
		e.profiles.segments.put(respondent, segment, maxMembers)
	})
	return segment, nil
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

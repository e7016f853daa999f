package live

import (
	"context"
	"errors"

	"bestpick/internal/study"
)

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

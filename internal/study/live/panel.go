package live

import (
	"context"
	"errors"

	"bestpick/internal/study"
)

// maxMembers is how many members of a panel are kept, at least.
const maxMembers = 25_000

// keptPanel has members of a study's panel at a version, by the hashes of their keys. Every change of a
// panel raises the version of its study.
type keptPanel struct {
	version int
	members generations[string, study.Member]
}

// Member returns the member of a study's panel whose key has a hash, or ErrKey.
func (c *Studies) Member(ctx context.Context, st study.Study, hash string) (study.Member, error) {
	if l := c.find(st.ID); l != nil {
		if m, ok := l.member(st.Version, hash); ok {
			return m, nil
		}
	}
	m, err := c.store.Member(ctx, st.ID, hash)
	switch {
	case errors.Is(err, study.ErrNoMember):
		return study.Member{}, study.ErrKey
	case err != nil:
		return study.Member{}, err
	}
	c.of(st.ID).putMember(st.Version, hash, m)
	return m, nil
}

func (l *entry) member(version int, hash string) (study.Member, bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	m, known := l.panel.members.get(hash)
	return m, known && l.panel.version == version
}

func (l *entry) putMember(version int, hash string, m study.Member) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.panel.version != version {
		l.panel = keptPanel{version: version}
	}
	l.panel.members.put(hash, m, maxMembers)
}

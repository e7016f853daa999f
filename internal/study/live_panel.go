package study

import (
	"context"
	"errors"
)

// maxMembers is how many members of a panel are kept, at least.
const maxMembers = 25_000

// livePanel has members of a study's panel at a version, by the hashes of their keys. Every change of a
// panel raises the version of its study.
type livePanel struct {
	version int
	members generations[string, Member]
}

// Member returns the member of a study's panel whose key has a hash, or ErrKey.
func (c *LiveStudies) Member(ctx context.Context, study Study, hash string) (Member, error) {
	if l := c.find(study.ID); l != nil {
		if m, ok := l.member(study.Version, hash); ok {
			return m, nil
		}
	}
	m, err := c.store.Member(ctx, study.ID, hash)
	switch {
	case errors.Is(err, ErrNoMember):
		return Member{}, ErrKey
	case err != nil:
		return Member{}, err
	}
	c.of(study.ID).putMember(study.Version, hash, m)
	return m, nil
}

func (l *live) member(version int, hash string) (Member, bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	m, known := l.panel.members.get(hash)
	return m, known && l.panel.version == version
}

func (l *live) putMember(version int, hash string, m Member) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.panel.version != version {
		l.panel = livePanel{version: version}
	}
	l.panel.members.put(hash, m, maxMembers)
}

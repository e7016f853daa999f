package study

import (
	"context"
	"errors"
	"sync"
)

const (
	mostPanels  = 1000   // that are kept
	mostMembers = 50_000 // that are kept of each
)

// A panelCache keeps the members who came lately, so that not every question and every answer reads one. Every change
// of a panel raises the version of its study, so they are good as long as that is the same.
type panelCache struct {
	mutex sync.Mutex
	kept  map[string]keptMembers // by study
}

// keptMembers are some of a study as it was at a version, by the hashes of their keys.
type keptMembers struct {
	version int
	members map[string]Member
}

// member returns the member of a panel whose key has a hash, as the study is that was read, or ErrKey.
func (s *Service) member(ctx context.Context, study Study, hash string) (Member, error) {
	if m, ok := s.panels.get(study, hash); ok {
		return m, nil
	}
	m, err := s.store.Member(ctx, study.ID, hash)
	switch {
	case errors.Is(err, ErrNoMember):
		return Member{}, ErrKey
	case err != nil:
		return Member{}, err
	}
	s.panels.put(study, hash, m)
	return m, nil
}

func (c *panelCache) get(study Study, hash string) (Member, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	kept := c.kept[study.ID]
	m, known := kept.members[hash]
	return m, known && kept.version == study.Version
}

func (c *panelCache) put(study Study, hash string, m Member) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	kept, known := c.kept[study.ID]
	if c.kept == nil || !known && len(c.kept) >= mostPanels {
		c.kept = map[string]keptMembers{}
	}
	if !known || kept.version != study.Version || len(kept.members) >= mostMembers {
		kept = keptMembers{study.Version, map[string]Member{}}
		c.kept[study.ID] = kept
	}
	kept.members[hash] = m
}

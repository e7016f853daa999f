package study

import (
	"context"
	"sync"
	"time"
)

const (
	fresh       = 200 * time.Millisecond // how long respondents may be served by a study as it was
	mostStudies = 1000                   // that are kept
)

// A studyCache keeps studies for a moment, so that not every question and every answer reads one.
// What this process changes it forgets; what others change it hears of a moment later.
type studyCache struct {
	mutex sync.Mutex
	kept  map[string]keptStudy
}

type keptStudy struct {
	study Study
	since time.Time
}

// Lately returns a study as it is, or was a moment ago.
func (s *Service) Lately(ctx context.Context, id string) (Study, error) {
	now := s.clock()
	if study, ok := s.studies.get(id, now); ok {
		return study, nil
	}
	study, err := s.store.Study(ctx, id)
	if err == nil {
		s.studies.put(study, now)
	}
	return study, err
}

func (c *studyCache) get(id string, now time.Time) (Study, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	kept, known := c.kept[id]
	age := now.Sub(kept.since)
	return kept.study, known && age >= 0 && age < fresh
}

func (c *studyCache) put(study Study, now time.Time) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.kept == nil || len(c.kept) >= mostStudies {
		c.kept = map[string]keptStudy{}
	}
	c.kept[study.ID] = keptStudy{study, now}
}

func (c *studyCache) forget(id string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.kept, id)
}

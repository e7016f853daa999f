package study

import (
	"context"
	"errors"
	"time"
)

// maxAge is how old the study may be that respondents are served with.
const maxAge = 200 * time.Millisecond

// CachedStudy returns a study as it was at most maxAge ago, so that not every question and every answer reads
// it. Changes by this process are visible at once.
func (c *LiveStudies) CachedStudy(ctx context.Context, id string) (Study, error) {
	now := c.clock()
	if l := c.find(id); l != nil {
		if study, ok := l.lately(now); ok {
			return study, nil
		}
	}
	study, err := c.store.Study(ctx, id)
	switch {
	case err == nil:
		c.of(id).put(study, now)
	case errors.Is(err, ErrNotFound):
		c.Drop(id)
	}
	return study, err
}

func (l *live) lately(now time.Time) (Study, bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	age := now.Sub(l.read)
	return l.study, age >= 0 && age < maxAge
}

func (l *live) put(study Study, now time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.study, l.read = study, now
}

// AnyStudy is the id for which PlanWork is notified when any study may have become open.
const AnyStudy = ""

// Changed makes the next CachedStudy read a study again, and notifies planners and people.
func (c *LiveStudies) Changed(id string) {
	c.Stale(id)
	c.PlanWork.Notify(id)
	c.PlanWork.Notify(AnyStudy)
	c.Updates.Notify(id)
}

// Stale makes the next CachedStudy read a study again.
func (c *LiveStudies) Stale(id string) {
	if l := c.find(id); l != nil {
		l.put(Study{}, time.Time{})
	}
}

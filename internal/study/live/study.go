package live

import (
	"context"
	"errors"
	"time"

	"bestpick/internal/study"
)

// maxAge is how old the study may be that respondents are served with.
const maxAge = 200 * time.Millisecond

// CachedStudy returns a study as it was at most maxAge ago, so that not every question and every answer reads
// it. Changes by this process are visible at once.
func (c *Studies) CachedStudy(ctx context.Context, id string) (study.Study, error) {
	now := c.clock()
	if l := c.find(id); l != nil {
		if st, ok := l.lately(now); ok {
			return st, nil
		}
	}
	st, err := c.store.Study(ctx, id)
	switch {
	case err == nil:
		c.of(id).put(st, now)
	case errors.Is(err, study.ErrNotFound):
		c.Drop(id)
	}
	return st, err
}

func (l *entry) lately(now time.Time) (study.Study, bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	age := now.Sub(l.read)
	return l.study, age >= 0 && age < maxAge
}

func (l *entry) put(st study.Study, now time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.study, l.read = st, now
}

// AnyStudy is the id for which PlanWork is notified when any study may have become open.
const AnyStudy = ""

// Changed makes the next CachedStudy read a study again, and notifies planners and people.
func (c *Studies) Changed(id string) {
	c.Stale(id)
	c.PlanWork.Notify(id)
	c.PlanWork.Notify(AnyStudy)
	c.Updates.Notify(id)
}

// Stale makes the next CachedStudy read a study again.
func (c *Studies) Stale(id string) {
	if l := c.find(id); l != nil {
		l.put(study.Study{}, time.Time{})
	}
}

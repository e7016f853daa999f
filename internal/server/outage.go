package server

import (
	"log/slog"
	"sync"
	"time"
)

// An outage is a time in which the store is unavailable.
type outage struct {
	log *slog.Logger

	mutex sync.Mutex
	said  time.Time
}

// outageSaid is the minimum time between two log lines.
const outageSaid = 10 * time.Second

// note logs an outage, at most once every ten seconds.
func (o *outage) note(err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.said.IsZero() || time.Since(o.said) > outageSaid {
		o.said = time.Now()
		o.log.Error("the database is unavailable; requests that need it fail, and planning is retried", "error", err)
	}
}

package serve

import (
	"log/slog"
	"sync"
	"time"
)

// An outage is a time in which the store is unavailable.
type outage struct {
	log *slog.Logger

	mutex  sync.Mutex
	logged time.Time
}

// outageInterval is the minimum time between two log lines.
const outageInterval = 10 * time.Second

// note logs an outage, at most once every ten seconds.
func (o *outage) note(err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.logged.IsZero() || time.Since(o.logged) > outageInterval {
		o.logged = time.Now()
		o.log.Error("the database is unavailable; requests that need it fail, and planning is retried", "error", err)
	}
}

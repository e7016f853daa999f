package main

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

// outageSaid is the least time between two lines in the log.
const outageSaid = 10 * time.Second

// note logs an outage, at most every ten seconds: one line says more than one for each request.
func (o *outage) note(err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.said.IsZero() || time.Since(o.said) > outageSaid {
		o.said = time.Now()
		o.log.Error("the database cannot be used; whatever needs it is refused or tried again", "error", err)
	}
}

package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"bestpick/metrics"
	"bestpick/study"
)

// A watchedStore measures how long the store takes for what respondents and planners wait for, and notes when it
// cannot be used.
type watchedStore struct {
	study.Store

	metrics *metrics.Metrics
	outage  *outage
}

func (s watchedStore) Record(ctx context.Context, id string, each int, outcomes ...study.Outcome) (refused []error, err error) {
	defer s.done("record", time.Now(), &err)
	return s.Store.Record(ctx, id, each, outcomes...)
}

func (s watchedStore) Claim(ctx context.Context, id string, n int, now time.Time) (claim study.Claim, err error) {
	defer s.done("claim", time.Now(), &err)
	return s.Store.Claim(ctx, id, n, now)
}

func (s watchedStore) Append(ctx context.Context, id, planner string, p study.Plan) (err error) {
	defer s.done("append", time.Now(), &err)
	return s.Store.Append(ctx, id, planner, p)
}

func (s watchedStore) done(operation string, begin time.Time, err *error) {
	s.metrics.Stored(operation, time.Since(begin))
	if s.Store.Unavailable(*err) {
		s.metrics.Failed(operation)
	}
}

// Unavailable is asked of every error that nobody expected, and so knows when the store cannot be used.
func (s watchedStore) Unavailable(err error) bool {
	if !s.Store.Unavailable(err) {
		return false
	}
	s.outage.note(err)
	return true
}

// An outage is a time in which the database cannot be used.
type outage struct {
	log *slog.Logger

	mutex       sync.Mutex
	noted, said time.Time
}

const (
	outageLasts = 2 * time.Second  // after the last error
	outageSaid  = 10 * time.Second // how often it is told, at most
)

// note remembers that there is one, and tells it now and then: when everything fails one line says more than many.
func (o *outage) note(err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.noted = time.Now()
	if o.said.IsZero() || time.Since(o.said) > outageSaid {
		o.said = o.noted
		o.log.Error("the database cannot be used; whatever needs it is refused or tried again", "error", err)
	}
}

// lately reports whether there is one, as far as is known.
func (o *outage) lately() bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return !o.noted.IsZero() && time.Since(o.noted) < outageLasts
}

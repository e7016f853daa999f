// Package planning plans studies: one planner per study, across processes, tells the strategy the
// new answers and asks it for questions.
package planning

import (
	"context"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/replay"
)

// An Activity is the result of a planning step.
type Activity int

// The results of a planning step.
const (
	Over  Activity = iota // the study needs no more planning
	Quiet                 // there is nothing to do until [Planner.Wakes]
	Idle                  // there is nothing to do now, or another planner holds the lease
	Busy                  // the step wrote a plan, or must be repeated after a concurrent change
)

// An Environment has the dependencies of planners.
type Environment struct {
	Store    study.Store
	Live     *live.Studies
	Clock    func() time.Time
	Name     string // of this process, unique on the store
	Cores    replay.Cores
	Slice    int // maximum number of outcomes that one plan counts
	Observer study.Observer
	Report   func(id string, err error) // receives errors, after which planning is retried; the id may be empty

	// Trace starts a span around a planning step. It returns the span's context and a function that ends it.
	Trace func(ctx context.Context, id string) (context.Context, func(Activity, error))
}

// Package planning plans studies: one planner per study, across processes, tells the strategy the answers
// that have come in and asks it for questions.
package planning

import (
	"context"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/replay"
)

// An Activity says what a planner had to do.
type Activity int

// What a step of a planner may find.
const (
	Over Activity = iota // there will never be anything to do again
	Idle                 // nothing at the moment, or another planner leads
	Busy                 // it wrote a plan, or has to try again because something has just changed
)

// An Environment is what planners need from outside.
type Environment struct {
	Store    study.Store
	Live     *live.Studies
	Clock    func() time.Time
	Name     string // of this process, different from all others'
	Cores    replay.Cores
	Slice    int // outcomes that one plan tells at most
	Observer study.Observer
	Report   func(id string, err error) // receives errors, after which planning is retried; the id may be empty

	// Trace starts a span around a planning step. It returns the span's context and a function that ends it.
	Trace func(ctx context.Context, id string) (context.Context, func(Activity, error))
}

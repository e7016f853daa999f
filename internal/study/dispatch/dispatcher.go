// Package dispatch deals questions to respondents and records their outcomes: tickets, desks,
// answers, skips and undos.
package dispatch

import (
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

// A Dispatcher deals questions to respondents and records their answers. It runs no strategy: a
// planner makes the questions. Safe for concurrent use.
type Dispatcher struct {
	Store    study.Store
	Live     *live.Studies
	Clock    func() time.Time
	Patience time.Duration // how long Ask waits for a question when the deck is empty
	Observer study.Observer
	MAC      MAC // signs tickets
}

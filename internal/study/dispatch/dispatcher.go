// Package dispatch deals questions to respondents and records what became of them: tickets, desks, answers,
// skips and undos.
package dispatch

import (
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

// A Dispatcher deals questions to respondents and records what they answer. It does no mathematics: a
// planner makes the questions. Safe for concurrent use.
type Dispatcher struct {
	Store    study.Store
	Live     *live.Studies
	Clock    func() time.Time
	Patience time.Duration // how long Ask waits for a question when the deck is empty
	Observer study.Observer
	MAC      MAC // signs tickets
}

// Forget removes what this process remembers of a respondent.
func (s *Dispatcher) Forget(id, respondent string) { s.findDesk(id).forget(respondent) }

// Close removes what this process keeps to deal questions of a study that is over.
func (s *Dispatcher) Close(id string) { live.DropPart[desk](s.Live, id) }

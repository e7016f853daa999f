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

// desk returns where the questions of a study are dealt here.
func (s *Dispatcher) desk(id string) *desk {
	return live.Part(s.Live, id, func() *desk { return &desk{} })
}

// findDesk returns the desk of a study, or nil if nothing was dealt here.
func (s *Dispatcher) findDesk(id string) *desk { return live.FindPart[desk](s.Live, id) }

// Forget removes what this process remembers of a respondent.
func (s *Dispatcher) Forget(id, respondent string) { s.findDesk(id).forget(respondent) }

// Close removes what this process keeps to deal questions of a study that is over.
func (s *Dispatcher) Close(id string) { live.DropPart[desk](s.Live, id) }

package dispatch

import (
	"time"

	"bestpick/internal/study"
)

// A Ticket is the content of a token: a question that a respondent was asked. The token is signed,
// so it cannot be forged, and the store need not keep open questions.
type Ticket struct {
	Study      study.Study // the token only has its id
	Position   study.Position
	Plan       int
	Shown      []int // arms, in the order on the screen
	Respondent string
	Segment    string
	Key        string // the hash of a panel member's key
	Asked      time.Time
}

// Picks returns the number of arms to pick.
func (t Ticket) Picks() int { return t.Study.Settings.Wanted(len(t.Shown)) }

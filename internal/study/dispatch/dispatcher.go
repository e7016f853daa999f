// Package dispatch deals questions to respondents and records their outcomes: tickets, desks, answers, skips and undos.
package dispatch

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

// A Dispatcher deals questions to respondents and records their answers. It runs no strategy: a
// planner makes the questions. Safe for concurrent use.
type Dispatcher struct {
	Store     study.Store
	Live      *live.Studies
	Clock     func() time.Time
	Patience  time.Duration // how long Ask waits for a question when the deck is empty
	Observer  study.Observer
	MAC       MAC                 // signs tickets and ids
	OtherMACs []MAC               // of tickets and ids that are accepted too
	Limiter   *middleware.Limiter // of requests per respondent; nil for no limit
}

// A Who is a respondent as a request names them.
type Who struct {
	Name          string // of an open link; callers check that the request may use it
	Key           string // of a member of the panel; overrides the others
	ID, Signature string // in the link, see [study.Audience]
	Once          bool   // they are asked nothing else: their hand is one question
}

// Caller identifies the respondent of a request to a study, as [Caller] does.
func (w Who) Caller(id string) string { return Caller(id, cmp.Or(w.ID, w.Name), w.Key) }

// Caller identifies a respondent for the rate limit: members of a panel by their key, others by the name in their request.
func Caller(id, respondent, key string) string {
	if key != "" {
		return id + "?" + study.HashKey(key)
	}
	return id + "/" + respondent
}

// Caller identifies the respondent of a ticket as [Caller] does.
func (t Ticket) Caller() string {
	if t.Key != "" {
		return t.Study.ID + "?" + t.Key
	}
	return t.Study.ID + "/" + t.Respondent
}

// network returns the key under which a person who arrives is counted, see [study.Network]. It is empty for members of a
// panel, whom the owner knows, and for judges.
func (s *Dispatcher) network(ctx context.Context, st study.Study, who person, at time.Time) string {
	if who.key != "" || st.Settings.Judges {
		return ""
	}
	return study.Network(s.MAC, st.ID, middleware.NetworkOf(ctx), at)
}

// limit counts a request of a caller. It returns an error with CodeTooMany if the caller exceeds the rate limit.
func (s *Dispatcher) limit(caller string) error {
	if ok, wait := s.Limiter.Allow(caller, s.Clock()); !ok {
		return study.TooMany(wait)
	}
	return nil
}

// Quota returns the headers that say what is left of the rate limit of a caller; nil without a limit.
func (s *Dispatcher) Quota(caller string) http.Header {
	return s.Limiter.Quota("respondent", caller, s.Clock())
}

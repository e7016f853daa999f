package web

import (
	"context"
	"errors"
	"math"
	"net/http"
	"time"

	"bestpick/internal/study"
)

// A state is a message that a respondent sees in place of a question.
type state struct {
	Kind     string   // names the messages
	Retry    int      // seconds until the page retries; 0 for never
	Each     int      // the limit of questions, once it is reached
	Segments []string // to choose from
	Status   int
}

// The kinds.
const (
	stateUnknown = "unknown" // there is no such study
	stateDraft   = "draft"
	statePaused  = "paused"
	stateDone    = "done"
	stateLapsed  = "lapsed"
	stateInvited = "invited" // only members of the panel may answer
	stateEnough  = "enough"  // the respondent has reached the limit of questions
	stateWaiting = "waiting" // no question is available
	stateLimited = "limited" // rate limit
	stateSegment = "segment" // the respondent must choose a segment
	stateBroken  = "broken"  // the request is invalid
	stateFailed  = "failed"
	stateOffline = "offline" // shown by script only
)

// How soon pages look again, in seconds.
const (
	soon  = 2
	later = 30
)

// An oftenError says that a respondent comes too often.
type oftenError struct{ wait time.Duration }

func (oftenError) Error() string { return "web: too many requests" }

// stateOf returns the state that a respondent sees for an error.
func (p *Pages) stateOf(ctx context.Context, id string, err error) state {
	often, tooOften := errors.AsType[oftenError](err)
	field, wrong := errors.AsType[*study.FieldError](err)
	closed, notOpen := errors.AsType[*study.NotOpenError](err)
	switch {
	case errors.Is(err, study.ErrNotFound):
		return state{Kind: stateUnknown, Status: http.StatusNotFound}
	case errors.Is(err, study.ErrNone), errors.Is(err, study.ErrBusy), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return state{Kind: stateWaiting, Retry: soon, Status: http.StatusServiceUnavailable}
	case errors.Is(err, study.ErrPanel), errors.Is(err, study.ErrKey):
		return state{Kind: stateInvited, Status: http.StatusForbidden}
	case tooOften:
		return limited(often.wait)
	case errors.Is(err, study.ErrToken), wrong && field.Field != "segment":
		return state{Kind: stateBroken, Status: http.StatusUnprocessableEntity}
	case notOpen:
		return stateOfClosed(closed)
	case errors.Is(err, study.ErrEnough), wrong:
		s, err := p.studies.Live.CachedStudy(ctx, id)
		if err != nil {
			return p.stateOf(ctx, id, err)
		}
		if wrong {
			return segments(s)
		}
		return enough(s)
	}
	p.Log.Error("a page failed", "error", err)
	return state{Kind: stateFailed, Retry: later, Status: http.StatusInternalServerError}
}

// stateOfClosed returns the state of a study that is not open. Pages look again where it may continue.
func stateOfClosed(e *study.NotOpenError) state {
	switch {
	case e.State == study.Draft:
		return state{Kind: stateDraft, Retry: later, Status: http.StatusOK}
	case e.State == study.Paused:
		return state{Kind: statePaused, Retry: later, Status: http.StatusOK}
	case e.Reason == study.Lapsed:
		return state{Kind: stateLapsed, Retry: later, Status: http.StatusOK}
	}
	return state{Kind: stateDone, Status: http.StatusOK}
}

// enough is the end, for a respondent.
func enough(s study.Study) state {
	return state{Kind: stateEnough, Each: s.Settings.Each, Status: http.StatusOK}
}

// segments asks for a part of the population.
func segments(s study.Study) state {
	told := state{Kind: stateSegment, Status: http.StatusOK}
	for _, segment := range s.Settings.Strategy.Model.Segments {
		told.Segments = append(told.Segments, segment.Name)
	}
	return told
}

func limited(wait time.Duration) state {
	return state{Kind: stateLimited, Retry: max(1, int(math.Ceil(wait.Seconds()))), Status: http.StatusTooManyRequests}
}

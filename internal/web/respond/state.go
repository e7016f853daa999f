package respond

import (
	"context"
	"math"
	"net/http"
	"time"

	"bestpick/internal/problems"
	"bestpick/internal/study"
)

// A state is a message that a respondent sees in place of a question.
type state struct {
	problems.Page

	Each     int      // the limit of questions, if it is reached
	Segments []string // to choose from

	Profile []study.ProfileQuestion // to answer
	After   bool                    // the profile questions follow the last Question
}

// The kinds of states besides those of package problems.
const (
	stateSegment = "segment" // the respondent must choose a segment
	stateOffline = "offline" // shown by JavaScript only
	stateWelcome = "welcome" // before the first Question
)

// segmentField is the field of a respondent whose segment is missing or unknown.
const segmentField = "segment"

// stateOf returns the state that a respondent sees for an error.
func (p *Pages) stateOf(ctx context.Context, id string, err error) state {
	e := study.Coded(err)
	if e.Code == study.CodeTooMany {
		return limited(e.Wait)
	}
	choose := e.Code == study.CodeInvalid && e.Field == segmentField
	if choose || e.Code == study.CodeEnough || e.Code == study.CodeProfile {
		s, err := p.Live.CachedStudy(ctx, id)
		switch {
		case err != nil:
			return p.stateOf(ctx, id, err)
		case choose:
			return segments(s)
		case e.Code == study.CodeProfile:
			return profileState(s.ProfileQuestions(false), false)
		}
		return enough(s)
	}
	shownState := problems.Of(e.Code).Page
	if shownState.Kind == problems.Failed {
		p.Log.Error("a page failed", "error", err)
	}
	return state{Page: shownState}
}

// enough returns the state of a respondent who has answered all questions.
func enough(s study.Study) state {
	return state{Page: problems.Of(study.CodeEnough).Page, Each: s.Settings.Each}
}

// segments returns the state in which a respondent chooses a segment.
func segments(s study.Study) state {
	shownState := state{Page: problems.Page{Kind: stateSegment, Status: http.StatusOK}}
	for _, segment := range s.Settings.Strategy.Model.Segments {
		shownState.Segments = append(shownState.Segments, segment.Name)
	}
	return shownState
}

func limited(wait time.Duration) state {
	return state{Page: problems.Page{Kind: problems.Limited, Retry: max(1, int(math.Ceil(wait.Seconds()))), Status: http.StatusTooManyRequests}}
}

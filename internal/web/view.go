package web

import "bestpick/internal/problems"

// A respondView is what the page of a respondent shows: a question or a state.
type respondView struct {
	words
	visitor

	Study    string
	Question *question
	State    *state
	Grace    int    // seconds in which an answer can be undone
	Notice   string // about the last answer
	Still    bool   // a preview: nothing can be picked
}

// Spare returns the states that JavaScript may show without a request.
func (respondView) Spare() []state {
	return []state{{Page: problems.Page{Kind: stateOffline, Retry: problems.Soon}}, {Page: problems.Page{Kind: stateLimited, Retry: problems.Soon}}}
}

// Notices are those that script may show by itself.
func (respondView) Notices() []string {
	return []string{problems.Replaced, problems.Conflict, problems.TooLate, "keeping", "sent", "lost", "taken-back", "skipped", "undo-offline"}
}

// Before is the number of the question before the one that is shown.
func (v respondView) Before() int {
	if v.Question == nil {
		return v.State.Each
	}
	return v.Question.Number - 1
}

// With returns the view with another state.
func (v respondView) With(s state) respondView {
	v.State = &s
	return v
}

// Refresh is when the page looks again without script, in seconds.
func (v respondView) Refresh() int {
	if v.State == nil {
		return 0
	}
	return v.State.Retry
}

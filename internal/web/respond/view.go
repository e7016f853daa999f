package respond

import (
	"bestpick/internal/problems"
	"bestpick/internal/statement"
)

// A View is the data of a respondent's page: a question or a state.
type View struct {
	statement.Words
	visitor

	Study    string
	Question *Question
	State    *state
	Grace    int    // seconds in which an answer can be undone
	Notice   string // about the last answer
	Still    bool   // a preview: nothing can be picked
	Trial    bool   // a try-out: nothing is recorded
	Shown    bool   // in a frame of the owner's page: without scripts

	Presented presented
}

// Spare returns the states that JavaScript may show without a request.
func (View) Spare() []state {
	return []state{{Page: problems.Page{Kind: stateOffline, Retry: problems.Soon}}, {Page: problems.Page{Kind: problems.Limited, Retry: problems.Soon}}}
}

// Notices returns the notices that JavaScript may show without a request.
func (View) Notices() []string {
	return []string{problems.Replaced, problems.Conflict, problems.TooLate, "keeping", "sent", "lost", "taken-back", "skipped", "undo-offline", "consent", "profile"}
}

// Before returns the number of the previous question.
func (v View) Before() int {
	if v.Question == nil {
		return v.State.Each
	}
	return v.Question.Number - 1
}

// With returns the view with another state.
func (v View) With(s state) View {
	v.State = &s
	return v
}

// Refresh returns the seconds after which the page reloads without JavaScript.
func (v View) Refresh() int {
	if v.State == nil {
		return 0
	}
	return v.State.Retry
}

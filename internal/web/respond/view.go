package respond

import (
	"net/http"
	"net/url"

	"bestpick/internal/problems"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
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
	Trial    bool   // a try-out: nothing is recorded
	Shown    bool   // in a frame of the owner's page: without scripts

	Presented presentation
}

// Action returns the address of a form of a respondent's page.
func (v View) Action(step string) string {
	if v.Trial {
		return page.StudiesPath + url.PathEscape(v.Study) + "/try/" + step
	}
	return page.RespondentsPath + v.Study + "/" + step
}

// Spare returns the states that JavaScript may show without a request.
func (View) Spare() []state {
	return []state{
		{Page: problems.Page{Kind: stateOffline, Retry: problems.Soon}},
		{Page: problems.Page{Kind: problems.Limited, Retry: problems.Soon}},
	}
}

// Notices returns the notices that JavaScript may show without a request.
func (View) Notices() []string {
	return []string{
		problems.Replaced, problems.Conflict, problems.TooLate, "keeping", "sent", "lost", "taken-back", "skipped", "undo-offline",
		"consent", "profile",
	}
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

// present adds the owner's presentation of a study, without an address to continue at.
func (v *View) present(s study.Study) {
	v.Presented = presentation{
		Texts: s.Page.In(v.Language), Privacy: s.Page.Privacy, Logo: Logo(s), Minutes: page.Minutes(s.Settings.PerRespondent),
	}
	v.Presented.Agree = study.ConsentID(v.Presented.Consent)
	if s.Page.Accent != "" {
		v.Presented.Accent = s.Page.Accent[1:]
	}
	if v.Question != nil && v.Presented.Prompt != "" {
		v.Question.Prompt = v.Presented.Prompt
	}
}

// A presentation is the owner's presentation of a study for one respondent.
type presentation struct {
	study.Texts

	Privacy string
	Agree   string // ID of the text of consent
	Logo    string // path of a picture
	Accent  string // six hexadecimal digits
	Code    string // completion code, if the respondent has finished
	Leave   string // address to continue at, if the respondent is done
	Minutes int    // that the questions take
}

// Logo returns the path of a study's logo, or an empty text.
func Logo(s study.Study) string {
	if s.Page.Logo == "" {
		return ""
	}
	return study.PictureAddress(s.ID, study.Picture{Hash: s.Page.Logo}.Name())
}

// A state is a message that a respondent sees in place of a question.
type state struct {
	problems.Page

	Each     int      // the limit of questions, if it is reached
	Segments []string // to choose from

	Profile []study.ProfileQuestion // to answer
	After   bool                    // the profile questions follow the last question
}

// The kinds of states besides those of package problems.
const (
	stateSegment = "segment" // the respondent must choose a segment
	stateOffline = "offline" // shown by JavaScript only
)

// welcome returns the state before the first question.
func welcome(status int) *state {
	return &state{Page: problems.Page{Kind: problems.Welcome, Status: status}}
}

// enough returns the state of a respondent who has answered all questions.
func enough(s study.Study) *state {
	return &state{Page: problems.Of(study.CodeEnough).Page, Each: s.Settings.PerRespondent}
}

// askProfile returns the state in which a respondent answers profile questions.
func askProfile(questions []study.ProfileQuestion, after bool) *state {
	return &state{Page: problems.Of(study.CodeProfile).Page, Profile: questions, After: after}
}

// askSegment returns the state in which a respondent chooses a segment.
func askSegment(s study.Study) *state {
	asking := &state{Page: problems.Page{Kind: stateSegment, Status: http.StatusOK}}
	for _, segment := range s.Settings.Strategy.Model.Segments {
		asking.Segments = append(asking.Segments, segment.Name)
	}
	return asking
}

// Package problems maps the codes of study errors to HTTP: the status and type of API problems, and the messages of
// pages.
package problems

import (
	"net/http"

	"bestpick/internal/study"
	"bestpick/wire"
)

// A Problem is how one code is reported.
type Problem struct {
	Status int    // of the API's reply
	Type   string // of the API's problem, see package wire; empty if the status is enough

	Page   Page   // shown to a respondent instead of a question
	Notice string // the message with which a respondent continues instead; empty if there is none
	Refuse string // the message on the study's page when the owner's action is refused; empty if the action failed
}

// A Page replaces a question.
type Page struct {
	Kind   string // names the messages
	Status int
	Retry  int // seconds until the page retries; 0 for never
}

// The kinds of pages.
const (
	Unknown    = "unknown" // unknown study
	Draft      = "draft"
	Paused     = "paused"
	Done       = "done"
	Lapsed     = "lapsed"
	Invited    = "invited"    // only members of the panel may answer
	Enough     = "enough"     // the respondent has reached the limit of questions
	Welcome    = "welcome"    // the respondent must give consent
	Profile    = "profile"    // the respondent must answer profile questions
	Full       = "full"       // the budget is spent or reserved
	Quota      = "quota"      // the study has enough respondents of this group
	Ineligible = "ineligible" // the study is for other respondents
	Limited    = "limited"    // the respondent exceeds the rate limit
	Waiting    = "waiting"    // no question is available
	Broken     = "broken"     // the request is invalid
	Failed     = "failed"
)

// The notices.
const (
	Replaced = "replaced" // the lease expired, and another respondent has the question
	Conflict = "conflict" // the question was answered before, in another way
	TooLate  = "too-late" // the answer counts already
)

// The messages of refused actions.
const (
	Overtaken = "conflict" // the study has changed in the meantime
	Refused   = "refused"  // the study does not allow the action
)

// How soon pages retry, in seconds.
const (
	Soon  = 2
	Later = 30
)

// Of returns how a code is reported. An unknown code is reported as internal.
func Of(code study.Code) Problem {
	if p, known := table()[code]; known {
		return p
	}
	return table()[study.CodeInternal]
}

func table() map[study.Code]Problem {
	const unprocessable, unavailable = http.StatusUnprocessableEntity, http.StatusServiceUnavailable
	var (
		failed  = Page{Failed, http.StatusInternalServerError, Later}
		waiting = Page{Waiting, unavailable, Soon}
		unknown = Page{Unknown, http.StatusNotFound, 0}
		invited = Page{Invited, http.StatusForbidden, 0}
		broken  = Page{Broken, unprocessable, 0}
		end     = func(kind string) Page { return Page{kind, http.StatusOK, 0} }
		later   = func(kind string) Page { return Page{kind, http.StatusOK, Later} }
	)
	return map[study.Code]Problem{
		study.CodeInternal:    {http.StatusInternalServerError, "", failed, "", ""},
		study.CodeTimeout:     {unavailable, wire.Timeout, waiting, "", ""},
		study.CodeUnavailable: {unavailable, wire.Unavailable, Page{Failed, unavailable, Later}, "", ""},
		study.CodeBusy:        {unavailable, wire.Busy, waiting, "", ""},

		study.CodeInvalid:    {unprocessable, wire.Invalid, broken, "", Refused},
		study.CodeNotFound:   {http.StatusNotFound, wire.NotFound, unknown, "", ""},
		study.CodeNoMember:   {http.StatusNotFound, wire.NotFound, failed, "", ""},
		study.CodeChanged:    {http.StatusPreconditionFailed, wire.Changed, failed, "", Overtaken},
		study.CodeStarted:    {http.StatusConflict, wire.Started, failed, "", ""},
		study.CodeWrongState: {http.StatusConflict, wire.WrongState, failed, "", Overtaken},
		study.CodeKnown:      {http.StatusConflict, wire.Known, failed, "", ""},

		study.CodeDraft:  {http.StatusConflict, wire.StudyDraft, later(Draft), "", Overtaken},
		study.CodePaused: {http.StatusConflict, wire.StudyPaused, later(Paused), "", Overtaken},
		study.CodeDone:   {http.StatusConflict, wire.StudyDone, end(Done), "", Overtaken},
		study.CodeLapsed: {http.StatusConflict, wire.StudyLapsed, later(Lapsed), "", Overtaken},

		study.CodePanel:       {http.StatusForbidden, wire.NotMember, invited, "", ""},
		study.CodeKey:         {http.StatusForbidden, wire.NotMember, invited, "", ""},
		study.CodeNoQuestion:  {unavailable, wire.NoQuestion, waiting, "", ""},
		study.CodeEnough:      {http.StatusConflict, wire.Enough, end(Enough), "", ""},
		study.CodeConsent:     {http.StatusConflict, wire.NoConsent, end(Welcome), "", ""},
		study.CodeFull:        {http.StatusConflict, wire.Full, later(Full), "", ""},
		study.CodeProfile:     {http.StatusConflict, wire.NoProfile, end(Profile), "", ""},
		study.CodeQuota:       {http.StatusConflict, wire.QuotaFull, end(Quota), "", ""},
		study.CodeIneligible:  {http.StatusConflict, wire.NotEligible, end(Ineligible), "", ""},
		study.CodeTooMany:     {http.StatusTooManyRequests, wire.TooMany, Page{Limited, http.StatusTooManyRequests, Later}, "", ""},
		study.CodeToken:       {unprocessable, wire.BadToken, broken, "", ""},
		study.CodeConflict:    {http.StatusConflict, wire.Conflict, failed, Conflict, ""},
		study.CodeReplaced:    {http.StatusConflict, wire.Replaced, failed, Replaced, ""},
		study.CodeTooLate:     {http.StatusConflict, wire.TooLate, failed, TooLate, ""},
		study.CodeNotAnswered: {http.StatusConflict, wire.NotAnswered, failed, Conflict, ""},
	}
}

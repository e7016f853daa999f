package study

import (
	"context"
	"errors"
	"time"
)

// A Code names the kind of an [Error]. Package problems has the HTTP status, the problem type and the page message of each.
type Code string

// The codes.
const (
	CodeInternal    Code = "internal"    // unexpected: only the log has the cause
	CodeTimeout     Code = "timeout"     // the context ended
	CodeUnavailable Code = "unavailable" // the database cannot be reached, or cannot write
	CodeBusy        Code = "busy"        // other writers kept the study locked, or it changes too often

	CodeInvalid    Code = "invalid" // Error.Field names the invalid input
	CodeNotFound   Code = "not-found"
	CodeNoMember   Code = "no-member"
	CodeChanged    Code = "changed" // the study has another version than the caller's
	CodeStarted    Code = "started"
	CodeWrongState Code = "wrong-state"
	CodeKnown      Code = "known" // the batch was imported before

	CodeDraft  Code = "draft" // this and the next three: the study is not open
	CodePaused Code = "paused"
	CodeDone   Code = "done"
	CodeLapsed Code = "lapsed"

	CodePanel       Code = "panel" // the study has a panel, and the respondent has no key
	CodeKey         Code = "key"   // the key is not a key of the panel
	CodeNoQuestion  Code = "no-question"
	CodeEnough      Code = "enough"
	CodeConsent     Code = "no-consent"   // the respondent must agree to the study's text first
	CodeFull        Code = "full"         // the budget is spent, or reserved by other respondents
	CodeProfile     Code = "profile"      // the respondent must answer the profile questions first
	CodeQuota       Code = "quota"        // the quota of the respondent's group is full
	CodeIneligible  Code = "not-eligible" // an answer to a profile question excludes the respondent
	CodeTooMany     Code = "too-many"
	CodeToken       Code = "bad-token"
	CodeConflict    Code = "conflict"
	CodeReplaced    Code = "replaced"
	CodeTooLate     Code = "too-late"
	CodeNotAnswered Code = "not-answered"
)

// An Error is an error that callers see. Errors with the same code match each other.
type Error struct {
	Code    Code
	Message string        // for people
	Field   string        // the invalid input, such as settings.k; may be empty
	Wait    time.Duration // with CodeTooMany, until the next request is allowed
}

func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Is reports whether the target has the same code, or is ErrNotOpen and the study is not open.
func (e *Error) Is(target error) bool {
	if other, is := target.(*Error); is {
		return e.Code == other.Code
	}
	closed := e.Code == CodeDraft || e.Code == CodePaused || e.Code == CodeDone || e.Code == CodeLapsed
	return closed && target == ErrNotOpen
}

// Invalid returns the error of an invalid input.
func Invalid(field, message string) error {
	return &Error{Code: CodeInvalid, Message: message, Field: field}
}

// TooMany returns the error of a respondent who exceeds the rate limit until a time has passed.
func TooMany(wait time.Duration) error {
	return &Error{Code: CodeTooMany, Message: "too many requests; try again later", Wait: wait}
}

// Internal returns the error that replaces an unexpected one.
func Internal() *Error {
	return &Error{Code: CodeInternal, Message: "internal error; acknowledged answers are safe"}
}

// Coded returns the Error that an error wraps. The end of a context is CodeTimeout, also where it made
// the store unavailable, and any other error is CodeInternal.
func Coded(err error) *Error {
	e, coded := errors.AsType[*Error](err)
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	switch {
	case ended && (!coded || e.Code == CodeUnavailable):
		return &Error{Code: CodeTimeout, Message: "the request timed out"}
	case !coded:
		return Internal()
	}
	return e
}

// Errors of stores. ErrTaken and ErrNotYours do not reach callers of the subpackages.
var (
	ErrNotFound error = &Error{Code: CodeNotFound, Message: "there is no such study"}
	ErrChanged  error = &Error{Code: CodeChanged, Message: "the study has changed in the meantime"}
	ErrNoMember error = &Error{Code: CodeNoMember, Message: "there is no member of this name"}
	ErrTaken    error = errors.New("the question, batch or study exists already")
	ErrNotYours error = errors.New("another planner holds the lease")

	// ErrBusy means that other writers kept the study locked for too long. Nothing is written, the
	// store is available, and the same call may succeed later.
	ErrBusy error = &Error{Code: CodeBusy, Message: "the study is locked by another operation; try again"}

	// ErrUnavailable means that the database cannot be reached, or cannot write. The same call may succeed
	// later. If the connection was lost during a write, everything or nothing is written.
	ErrUnavailable error = &Error{Code: CodeUnavailable, Message: "the database is unavailable; acknowledged answers are safe"}
)

// Errors that respondents see.
var (
	ErrNoQuestion  error = &Error{Code: CodeNoQuestion, Message: "no question is available now"}
	ErrEnough      error = &Error{Code: CodeEnough, Message: "this respondent has answered enough"}
	ErrConsent     error = &Error{Code: CodeConsent, Message: "the respondent must agree to the text of consent first"}
	ErrProfile     error = &Error{Code: CodeProfile, Message: "the respondent must answer the profile questions first"}
	ErrFull        error = &Error{Code: CodeFull, Message: "the study is full for now; try again later"}
	ErrQuota       error = &Error{Code: CodeQuota, Message: "the study has enough respondents of this group"}
	ErrIneligible  error = &Error{Code: CodeIneligible, Message: "the study is for other respondents"}
	ErrConflict    error = &Error{Code: CodeConflict, Message: "the question already has a different answer"}
	ErrReplaced    error = &Error{Code: CodeReplaced, Message: "the question has expired, and another respondent has it"}
	ErrTooLate     error = &Error{Code: CodeTooLate, Message: "the answer is already counted and cannot be undone"}
	ErrNotAnswered error = &Error{Code: CodeNotAnswered, Message: "the question has no answer to undo"}
	ErrToken       error = &Error{Code: CodeToken, Message: "the token does not belong to a question", Field: "token"}
	ErrPanel       error = &Error{
		Code:    CodePanel,
		Message: "only members of the panel may answer, each with the key in their personal link",
	}
	ErrNoID error = &Error{
		Code:    CodePanel,
		Message: "only people with an id in their link may answer, and a valid signature if the study's ids are signed",
	}
	ErrKey error = &Error{Code: CodeKey, Message: "the key does not belong to a member of the panel"}
)

// Errors that owners see.
var (
	// ErrInvalid matches the errors that [Invalid] returns.
	ErrInvalid error = &Error{Code: CodeInvalid, Message: "the input is invalid"}

	// ErrStarted refuses changes that are only possible in a draft, or in a draft without answers.
	ErrStarted error = &Error{Code: CodeStarted, Message: "the study was opened or has answers, so this can no longer change"}

	// ErrKnown refuses a batch of answers with the name of an earlier batch.
	ErrKnown error = &Error{Code: CodeKnown, Message: "a batch of this name was imported before"}

	// ErrOpen refuses operations for which a study must be paused first.
	ErrOpen error = errors.New("the study is open; it must be paused, done or a draft")

	// ErrNotOpen matches the errors of all studies that are not open, in any state.
	ErrNotOpen error = errors.New("the study is not open")
)

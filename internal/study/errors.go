package study

import "errors"

// What a store may return.
var (
	ErrNotFound = errors.New("study: there is no such study")
	ErrChanged  = errors.New("study: it was changed by somebody else in the meantime")
	ErrTaken    = errors.New("study: the question has another outcome already")
	ErrNotYours = errors.New("study: somebody else is planning")
	ErrNoMember = errors.New("study: there is no such member")

	// ErrBusy means that other writers kept the study locked for too long. Nothing is written, the
	// store is available, and the same call may succeed later.
	ErrBusy = errors.New("study: it is locked by another operation; try again")
)

// What respondents may hear.
var (
	ErrNone     = errors.New("study: there is no question at the moment")
	ErrEnough   = errors.New("study: this respondent has answered enough")
	ErrConflict = errors.New("study: the question was answered in another way")
	ErrReplaced = errors.New("study: the time to answer is over, and the question is somebody else's")
	ErrTooLate  = errors.New("study: the answer counts already and cannot be taken back")

	ErrNotAnswered = errors.New("study: the question is not answered, so there is nothing to take back")

	ErrPanel = errors.New("study: only members of its panel may answer, each with the key of their own link")
	ErrKey   = errors.New("study: the key is not one of its panel, or not any more")
)

// ErrToken is for tokens that were not given out here, or were changed.
var ErrToken = errors.New("study: the token is not one of a question")

// ErrOpen is for studies that must be paused first.
var ErrOpen = errors.New("study: it is open; it must be paused, done or a draft")

// ErrStarted is for changes that only a draft allows, or only one without answers.
var ErrStarted = errors.New("study: it was opened or has answers, and this cannot change any more")

package study

import "errors"

// ErrNotOpen matches every [NotOpenError].
var ErrNotOpen = errors.New("study: it is not open")

// A NotOpenError says which state keeps a study from doing what an open study does. It matches
// ErrNotOpen.
type NotOpenError struct {
	State  State // Draft, Paused or Done
	Reason Reason
}

// notOpen returns the error of a study that is not open.
func (s Study) notOpen() error { return &NotOpenError{s.State, s.Reason} }

func (e *NotOpenError) Error() string {
	switch {
	case e.State == Draft:
		return "the study is a draft, which has not been opened yet"
	case e.State == Paused:
		return "the study is paused and may continue later"
	case e.Reason == Lapsed:
		return "the study has ended, but the reason no longer holds; its owner may open it again"
	}
	return "the study is done"
}

// Unwrap returns ErrNotOpen.
func (e *NotOpenError) Unwrap() error { return ErrNotOpen }

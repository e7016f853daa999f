package replay

import (
	"context"
	"errors"
	"slices"
	"time"

	"bestpick/internal/study"
)

// Limits of a slice.
const (
	MaxSlice = 5000        // outcomes that one plan tells at most
	sliceFor = time.Second // after which it tells no more of them
)

// errEnough ends a slice before all of its outcomes are counted.
var errEnough = errors.New("study: the slice has taken long enough")

// A Slice is the beginning of what is not told of a log.
type Slice struct {
	Log  []study.Outcome // at most as many as one plan tells
	back []study.Outcome // later outcomes that take back an answer in log
	Full bool            // there may be more outcomes than those in log
}

// ReadSlice reads up to most outcomes that follow those in log, or outcome number after if log is
// empty. It reads the undos last: a later undo has a number larger than all in the slice, and the store
// then refuses the plan.
func ReadSlice(ctx context.Context, store study.Outcomes, id string, log []study.Outcome, after int64, most int) (s Slice, err error) {
	if len(log) > 0 {
		after = log[len(log)-1].Number
	}
	if len(log) < most {
		more, err := store.Log(ctx, id, after, most-len(log))
		if err != nil {
			return Slice{}, err
		}
		log = append(log, more...)
	}
	s.Log = log
	if s.Full = len(s.Log) > 0 && len(s.Log) >= most; s.Full {
		s.back, err = store.Undone(ctx, id, s.Log[len(s.Log)-1].Number)
	}
	return s, err
}

// all returns the outcomes of the slice and the undos after them.
func (s Slice) all() []study.Outcome { return append(slices.Clip(s.Log), s.back...) }

// Known returns how far the log is known: no undo up to there of an answer in the slice is missing.
func (s Slice) Known(told int64) int64 {
	if n := len(s.back); n > 0 {
		return s.back[n-1].Number
	}
	if n := len(s.Log); n > 0 {
		return s.Log[n-1].Number
	}
	return told
}

// more reports whether there is more to tell right away, once everything up to told is told of what
// was settled.
func (s Slice) more(told, settled int64) bool {
	return told < settled || s.Full && told == s.Log[len(s.Log)-1].Number
}

// Patience returns a check for use between two outcomes of a slice: it ends the slice when the slice has
// taken long enough, or when stop is closed because the process ends.
func Patience(stop <-chan struct{}, pause func() error) func() error {
	began := time.Now()
	return func() error {
		select {
		case <-stop:
			return errEnough
		default:
		}
		if time.Since(began) >= sliceFor {
			return errEnough
		}
		return pause()
	}
}

// Settled returns the number of the last outcome up to which everything is settled: every answer was given so
// long ago that it cannot be taken back. One from a future further away was given by a clock that was wrong, and
// nothing waits for that. Imported ones may be about arms that came after the planner has looked which there are;
// they wait for the next plan.
func Settled(log []study.Outcome, told State, now time.Time, grace time.Duration) (upto int64) {
	upto = told.Upto
	for _, o := range log {
		age := now.Sub(o.At)
		recent := o.Kind == study.Answered && age < grace && age > -grace
		unknown := o.Kind == study.Imported && slices.ContainsFunc(o.Shown, func(arm int) bool { return arm >= told.Arms })
		if recent || unknown {
			break
		}
		upto = o.Number
	}
	return upto
}

// Package overview says how far a study is and how it came there, for pages and programs.
package overview

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"bestpick/choice"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

// An Overview is how a study came to its verdict: what can be drawn of it.
type Overview struct {
	Plan     int     // the last one that it knows
	Course   []Point // how the evidence went, thinned where it is long
	Arms     []Count // those that were shown in an answer that counts
	Pace     Pace    // of the answers that were given here
	Imported int     // answers from elsewhere

	// Utilities are what the levels of the attributes are worth, as of Fitted answers. There are none before
	// there are answers, where the model has more in it than one θ, and where it would take too long.
	Utilities []encode.PartWorth
	Fitted    int

	theta []float64
}

// A Count is how often an arm was shown, and picked: where several are picked, first.
type Count struct{ Arm, Shown, Picked int }

// Estimates returns the estimated utilities of all arms of a catalogue, from which only differences matter; nil
// where there is no estimate.
func (o *Overview) Estimates(arms *choice.Catalogue) []float64 {
	if o.theta == nil || arms.Product() != nil {
		return nil
	}
	utilities := make([]float64, arms.Len())
	arms.Multiply(utilities, o.theta)
	return utilities
}

// The counts of a study are kept in memory and continued: another overview costs as much as what has
// happened since the last.
type counts struct {
	busy     chan struct{} // holds one while somebody works on it
	afresh   int           // the plan with which the study has begun afresh
	course   course
	searched int64                    // how far the log was searched for answers that were taken back
	undone   map[study.Position]int64 // the last number at which that was done
	counted  int64                    // how far the log is counted
	arms     []Count
	place    map[int]int // of an arm among these
	pace     Pace
	imported int
	fit      fitting
}

func newCounts() *counts {
	return &counts{busy: make(chan struct{}, 1), undone: map[study.Position]int64{}, place: map[int]int{}}
}

// bytes estimates the memory of what was counted.
func (o *counts) bytes() int {
	const perAnswer = 256 // a question with a few arms in the tally
	return perAnswer * o.fit.answers
}

// Overview returns how a study came to its verdict, as of its last plan. The first time it reads the whole log, which
// takes seconds where there are a million answers. If the context ends before that, what was read is kept.
func (s *Reader) Overview(ctx context.Context, id string) (*Overview, error) {
	st, err := s.Store.Study(ctx, id)
	if err != nil {
		return nil, err
	}
	o := live.Part(s.Live, id, newCounts)
	select {
	case o.busy <- struct{}{}:
		defer func() { <-o.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if st.Afresh > o.afresh { // somebody was erased, who is in what was counted
		s.Live.Grow(id, -o.bytes())
		busy := o.busy
		*o = *newCounts()
		o.busy, o.afresh = busy, st.Afresh
	}
	last, err := s.Store.Last(ctx, id)
	if errors.Is(err, study.ErrNotFound) {
		return &Overview{}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := o.follow(ctx, s.Store, st, last); err != nil {
		return nil, err
	}
	before := o.bytes()
	err = o.count(ctx, s.Store, id, last)
	s.Live.Grow(id, o.bytes()-before)
	if err != nil {
		return nil, err
	}
	return o.seen(ctx, s, st, last)
}

// follow adds plans to the course: of many, some.
func (o *counts) follow(ctx context.Context, store study.Plans, st study.Study, last study.Plan) error {
	for o.course.last.Plan < last.Number {
		next, number := last, o.course.next(last.Number)
		if number < last.Number {
			some, err := store.Plans(ctx, st.ID, number-1, 1)
			if err != nil {
				return err
			}
			if len(some) == 0 {
				return study.ErrNotFound // it was deleted just now
			}
			next = some[0]
		}
		var v study.Verdict
		if err := json.Unmarshal(next.Verdict, &v); err != nil {
			return err
		}
		o.course.add(Point{Plan: next.Number, Answers: v.Answered, Evidence: v.Evidence(st.Settings.Strategy.Delta), At: next.At})
	}
	return nil
}

// count counts the answers that the plans have told. Those that were taken back are not among them: every
// answer to a question but the last was, and the last if that is said after it.
func (o *counts) count(ctx context.Context, store study.Outcomes, id string, last study.Plan) error {
	for out, err := range study.Log(ctx, store, id, o.searched, last.Known) {
		if err != nil {
			return err
		}
		if o.searched = out.Number; out.Kind == study.Undone {
			o.undone[out.Position] = out.Number
		}
	}
	for out, err := range study.Log(ctx, store, id, o.counted, last.Upto) {
		if err != nil {
			return err
		}
		o.counted = out.Number
		o.add(out)
	}
	return nil
}

// add counts an outcome, if it is an answer that stands.
func (o *counts) add(out study.Outcome) {
	switch {
	case out.Kind == study.Imported:
		o.imported++
	case out.Kind == study.Answered && o.undone[out.Position] < out.Number:
		o.pace.add(out.At)
	default:
		return
	}
	for slot, arm := range out.Shown {
		at, known := o.place[arm]
		if !known {
			at = len(o.arms)
			o.place[arm], o.arms = at, append(o.arms, Count{Arm: arm})
		}
		o.arms[at].Shown++
		if slot == out.Picks[0] {
			o.arms[at].Picked++
		}
	}
	o.fit.add(choice.Answer{Question: out.Shown, Picks: out.Picks})
}

// seen is the overview as it is now. It shares nothing with what goes on.
func (o *counts) seen(ctx context.Context, s *Reader, st study.Study, last study.Plan) (*Overview, error) {
	overview := &Overview{Plan: last.Number, Course: o.course.drawn(), Arms: slices.Clone(o.arms), Pace: o.pace, Imported: o.imported}
	overview.Pace.Answers = slices.Clone(o.pace.Answers)
	slices.SortFunc(overview.Arms, func(a, b Count) int { return cmp.Compare(a.Arm, b.Arm) })
	most := -1 // the last of the arms that were shown
	if shown := len(overview.Arms); shown > 0 {
		most = overview.Arms[shown-1].Arm
	}
	arms, err := s.Live.ArmsWith(ctx, st, most)
	if err != nil {
		return nil, err
	}
	o.fit.estimate(arms, st.Settings.Strategy)
	overview.Utilities, overview.Fitted, overview.theta = o.fit.worths, o.fit.fitted, o.fit.theta
	return overview, nil
}

// Package overview reports the progress of studies and their history, and exports their log, answers and arms,
// for pages and programs.
package overview

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
)

// An Overview has the counts of a study up to its verdict, for charts.
type Overview struct {
	Plan     int     // number of the last plan included
	Arms     []Count // arms that were shown in a counted answer
	Duels    []Duel  // between other arms and the leader; none in studies with very many arms
	Pace     Pace    // of the answers given in this study
	Imported int     // number of imported answers
	Models   bool    // a model has answered

	// Utilities are the part-worths of the attribute levels, from the first Fitted answers. There are none without answers, for
	// models with slots, intercepts or segments, and if the estimate would take too long.
	Utilities []encode.PartWorth
	Fitted    int

	theta []float64
}

// A Count is how often an arm was shown, and how often it was the first pick.
type Count struct{ Arm, Shown, Picked int }

// Estimates returns the estimated utilities of all arms of a catalogue, of which only differences
// matter; nil without an estimate.
func (o *Overview) Estimates(arms *choice.Catalogue) []float64 {
	if o.theta == nil || arms.Product() != nil {
		return nil
	}
	utilities := make([]float64, arms.Len())
	arms.Multiply(utilities, o.theta)
	return utilities
}

// counts caches the counts of a study. A later overview only reads the log since the last one.
type counts struct {
	busy     chan struct{}            // a lock: holds a value while a goroutine updates the counts
	restart  int                      // the plan with which the study restarted
	searched int64                    // the log was searched for undos up to here
	undone   map[study.Position]int64 // the number of the last undo of a question
	counted  int64                    // the log is counted up to here
	arms     []Count
	place    map[int]int // index of an arm in arms
	duels    duels
	pace     Pace
	imported int
	models   bool
	fit      fitting
}

func newCounts() *counts {
	return &counts{busy: make(chan struct{}, 1), undone: map[study.Position]int64{}, place: map[int]int{}, duels: duels{}}
}

// bytes estimates the memory of the counts.
func (o *counts) bytes() int {
	const perAnswer, perPair = 256, 64 // a question with a few arms in the tally
	return perAnswer*o.fit.answers + perPair*len(o.duels)
}

// Overview returns the history of a study as of its last plan. The first call reads the whole log, which takes seconds for a
// million answers. If the context ends before that, a later call continues.
func (s *Reader) Overview(ctx context.Context, id string) (*Overview, error) {
	st, err := s.Store.Study(ctx, id)
	if err != nil {
		return nil, err
	}
	o := live.Remember(s.Live, id, live.Counts, newCounts)
	select {
	case o.busy <- struct{}{}:
		defer func() { <-o.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if st.RestartPlan > o.restart { // the counts contain an erased respondent
		s.Live.Grow(id, -o.bytes())
		busy := o.busy
		*o = *newCounts()
		o.busy, o.restart = busy, st.RestartPlan
	}
	last, err := s.Store.LastPlan(ctx, id)
	if errors.Is(err, study.ErrNotFound) {
		return &Overview{}, nil
	}
	if err != nil {
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

// count counts the answers that the plans count. An answer is skipped if a later undo of its question is known.
func (o *counts) count(ctx context.Context, store study.Outcomes, id string, last study.Plan) error {
	for out, err := range study.Log(ctx, store, id, o.searched, last.LastSeen) {
		if err != nil {
			return err
		}
		if o.searched = out.Number; out.Kind == study.Undone {
			o.undone[out.Position] = out.Number
		}
	}
	for out, err := range study.Log(ctx, store, id, o.counted, last.LastCounted) {
		if err != nil {
			return err
		}
		o.counted = out.Number
		o.add(out)
	}
	return nil
}

// add counts an outcome if it is a standing answer.
func (o *counts) add(out study.Outcome) {
	switch {
	case out.Kind == study.Imported:
		o.imported++
	case out.Kind == study.Answered && o.undone[out.Position] < out.Number:
		o.pace.add(out.At)
	default:
		return
	}
	o.models = o.models || out.Note.Judge == study.Model
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
	if len(o.arms) <= mostDuelled {
		o.duels.add(out.Shown, out.Picks[0])
	}
	o.fit.add(choice.Answer{Question: out.Shown, Picks: out.Picks})
}

// seen returns a copy of the counts as an overview.
func (o *counts) seen(ctx context.Context, s *Reader, st study.Study, last study.Plan) (*Overview, error) {
	overview := &Overview{
		Plan: last.Number, Arms: slices.Clone(o.arms), Pace: o.pace,
		Imported: o.imported, Models: o.models,
	}
	overview.Pace.Answers = slices.Clone(o.pace.Answers)
	slices.SortFunc(overview.Arms, func(a, b Count) int { return cmp.Compare(a.Arm, b.Arm) })
	var verdict study.Verdict
	if err := json.Unmarshal(last.Verdict, &verdict); err != nil {
		return nil, err
	}
	overview.Duels = o.duels.against(verdict.Leader, overview.Arms)
	most := -1 // the highest number of a shown arm
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

// An Extent is how far a log goes.
type Extent struct {
	Last         int64 // the number of the last outcome
	Shown, Picks int   // how many arms are shown and picked at most

	// Undone is how many answers to a question were taken back: the first ones.
	Undone map[study.Position]int

	Notes bool // whether an answer has a note
}

// ReadExtent returns how far the log of a study goes.
func ReadExtent(ctx context.Context, store study.Outcomes, id string) (e Extent, err error) {
	e.Undone = map[study.Position]int{}
	for o, err := range study.Log(ctx, store, id, 0, math.MaxInt64) {
		if err != nil {
			return Extent{}, err
		}
		e.Last, e.Shown, e.Picks = o.Number, max(e.Shown, len(o.Shown)), max(e.Picks, len(o.Picks))
		e.Notes = e.Notes || !o.Note.IsZero()
		if o.Kind == study.Undone {
			e.Undone[o.Position]++
		}
	}
	return e, nil
}

// Standing goes through the outcomes of a log that stand, besides questions that were lost: answers, those
// imported among them, and questions that were skipped. Of what was erased there is nothing.
func Standing(ctx context.Context, store study.Outcomes, id string, e Extent) iter.Seq2[study.Outcome, error] {
	return func(yield func(study.Outcome, error) bool) {
		undone := maps.Clone(e.Undone)
		for o, err := range study.Log(ctx, store, id, 0, e.Last) {
			switch {
			case err == nil && o.Kind != study.Answered && o.Kind != study.Imported && o.Kind != study.Skipped:
				continue
			case err == nil && o.Kind == study.Answered && undone[o.Position] > 0:
				undone[o.Position]--
				continue
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

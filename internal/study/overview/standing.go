package overview

import (
	"context"
	"iter"
	"maps"
	"math"

	"bestpick/internal/study"
)

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
			case err == nil && !isAnswer(o.Kind):
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

// isAnswer reports whether outcomes of a kind are answers, or questions that were skipped.
func isAnswer(k study.Kind) bool {
	return k == study.Answered || k == study.Imported || k == study.Skipped
}

package study

import (
	"context"
	"io"
	"iter"
	"maps"
	"math"
)

// Export writes a study as JSON Lines: see [Export].
func (s *Service) Export(ctx context.Context, id string, w io.Writer) error {
	return Export(ctx, s.store, id, w)
}

// Log goes through the outcomes of a study, in order, up to the one with a number.
func (s *Service) Log(ctx context.Context, id string, upto int64) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		for after := int64(0); after < upto; {
			some, err := s.store.Log(ctx, id, after, int(min(exportPage, upto-after)))
			if err != nil {
				yield(Outcome{}, err)
				return
			}
			if len(some) == 0 {
				return
			}
			for _, o := range some {
				if !yield(o, nil) {
					return
				}
				after = o.Number
			}
		}
	}
}

// An Extent is how far a log goes.
type Extent struct {
	Last         int64 // the number of the last outcome
	Shown, Picks int   // how many arms are shown and picked at most

	// Undone is how many answers to a question were taken back: the first ones.
	Undone map[Position]int
}

// Extent returns how far the log of a study goes.
func (s *Service) Extent(ctx context.Context, id string) (e Extent, err error) {
	e.Undone = map[Position]int{}
	for o, err := range s.Log(ctx, id, math.MaxInt64) {
		if err != nil {
			return Extent{}, err
		}
		e.Last, e.Shown, e.Picks = o.Number, max(e.Shown, len(o.Shown)), max(e.Picks, len(o.Picks))
		if o.Kind == Undone {
			e.Undone[o.Position]++
		}
	}
	return e, nil
}

// Standing goes through the outcomes of a log that stand, besides questions that were lost: answers, those
// imported among them, and questions that were skipped. Of what was erased there is nothing.
func (s *Service) Standing(ctx context.Context, id string, e Extent) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		undone := maps.Clone(e.Undone)
		for o, err := range s.Log(ctx, id, e.Last) {
			switch {
			case err == nil && (o.Kind == Lost || o.Kind == Undone || o.Kind == Erased):
				continue
			case err == nil && o.Kind == Answered && undone[o.Position] > 0:
				undone[o.Position]--
				continue
			}
			if !yield(o, err) {
				return
			}
		}
	}
}

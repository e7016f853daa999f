package study

import (
	"context"
	"encoding/json"
	"io"
	"math"
)

// exportVersion is that of the exports this program writes and reads.
const exportVersion = 1

// An exportLine is one line of an export: the study first, then outcomes and plans, each plan after
// the outcomes that were known.
type exportLine struct {
	Version   int      `json:"bestpick_study,omitempty"`
	Study     *Study   `json:"study,omitempty"`
	Catalogue []byte   `json:"catalogue,omitempty"`
	Outcome   *Outcome `json:"outcome,omitempty"`
	Plan      *Plan    `json:"plan,omitempty"`
}

// Export writes a study as JSON Lines, with everything that is needed to recompute its verdict. If somebody is
// erased meanwhile, it returns ErrChanged, and what it has written is of no use.
func Export(ctx context.Context, store Store, id string, w io.Writer) error {
	last, err := lastPlan(ctx, store, id) // later ones may know arms that are added in the meantime
	if err != nil {
		return err
	}
	study, err := store.Study(ctx, id)
	if err != nil {
		return err
	}
	saved, err := store.Catalogue(ctx, id)
	if err != nil {
		return err
	}
	e := exporter{store: store, id: id, lines: json.NewEncoder(w)}
	if err := e.lines.Encode(exportLine{Version: exportVersion, Study: &study, Catalogue: saved}); err != nil {
		return err
	}
	for done := 0; done < last; {
		plans, err := store.Plans(ctx, id, done, min(exportPage, last-done))
		if err != nil {
			return err
		}
		if len(plans) == 0 {
			return unlessErased(ctx, store, study, ErrNotFound) // it was deleted in the meantime
		}
		for _, p := range plans {
			if err := e.outcomes(ctx, p.Known); err != nil {
				return err
			}
			if err := e.lines.Encode(exportLine{Plan: &p}); err != nil {
				return err
			}
			done = p.Number
		}
	}
	if err := e.outcomes(ctx, math.MaxInt64); err != nil {
		return err
	}
	return unlessErased(ctx, store, study, nil)
}

// exportPage is how many outcomes or plans are in memory at a time.
const exportPage = 1000

// An exporter writes outcomes as far as they are wanted.
type exporter struct {
	store   Store
	id      string
	lines   *json.Encoder
	written int64 // outcomes
}

// outcomes writes those up to a number that are not yet written.
func (e *exporter) outcomes(ctx context.Context, last int64) error {
	for e.written < last {
		some, err := e.store.Log(ctx, e.id, e.written, int(min(exportPage, last-e.written)))
		if err != nil || len(some) == 0 {
			return err
		}
		for _, o := range some {
			if err := e.lines.Encode(exportLine{Outcome: &o}); err != nil {
				return err
			}
			e.written = o.Number
		}
	}
	return nil
}

package study

import (
	"context"
	"encoding/json"
	"io"
)

// exportVersion is that of the exports this program writes and reads.
const exportVersion = 1

// An exportLine is one line of an export: the study first, then outcomes and plans, each plan after
// the outcomes that it tells.
type exportLine struct {
	Version   int      `json:"bestpick_study,omitempty"`
	Study     *Study   `json:"study,omitempty"`
	Catalogue []byte   `json:"catalogue,omitempty"`
	Outcome   *Outcome `json:"outcome,omitempty"`
	Plan      *Plan    `json:"plan,omitempty"`
}

// Export writes a study as JSON Lines, with everything that is needed to recompute its verdict.
func Export(ctx context.Context, store Store, id string, w io.Writer) error {
	study, err := store.Study(ctx, id)
	if err != nil {
		return err
	}
	saved, err := store.Catalogue(ctx, id)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(w)
	if err := lines.Encode(exportLine{Version: exportVersion, Study: &study, Catalogue: saved}); err != nil {
		return err
	}
	const page = 1000
	written := int64(0)
	upTo := func(last int64) error {
		for written < last {
			some, err := store.Log(ctx, id, written, int(min(page, last-written)))
			if err != nil || len(some) == 0 {
				return err
			}
			for _, o := range some {
				if err := lines.Encode(exportLine{Outcome: &o}); err != nil {
					return err
				}
				written = o.Number
			}
		}
		return nil
	}
	for done := 0; ; {
		plans, err := store.Plans(ctx, id, done, page)
		if err != nil {
			return err
		}
		if len(plans) == 0 {
			const all = 1 << 62
			return upTo(all)
		}
		for _, p := range plans {
			if err := upTo(p.Upto); err != nil {
				return err
			}
			if err := lines.Encode(exportLine{Plan: &p}); err != nil {
				return err
			}
			done = p.Number
		}
	}
}

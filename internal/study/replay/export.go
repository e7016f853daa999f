package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"hash"
	"io"
	"math"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
)

// LogStart is how an exported log starts.
const LogStart = `{"bestpick_study":`

// An exportLine is one line of an exported log: the study first, then outcomes and plans, each plan after the outcomes that it
// knew, then the closing. Verify compares lines byte by byte, so new fields must be omitted when they are zero.
type exportLine struct {
	Version   int            `json:"bestpick_study,omitempty"`
	Study     *study.Study   `json:"study,omitempty"`
	Catalogue []byte         `json:"catalogue,omitempty"`
	Outcome   *study.Outcome `json:"outcome,omitempty"`
	Plan      *study.Plan    `json:"plan,omitempty"`
	Closing   *closing       `json:"closing,omitempty"`
}

// Export writes a study as JSON Lines: everything that is needed to recompute its verdict, signed with the key of the store. If a
// respondent is erased meanwhile, it returns ErrChanged, and the output must be discarded.
func Export(ctx context.Context, store study.Store, id string, w io.Writer) error {
	secret, err := store.Secret(ctx)
	if err != nil {
		return err
	}
	st, saved, last, err := exportable(ctx, store, id)
	if err != nil {
		return err
	}
	sum := sha256.New()
	e := &exporter{store: store, id: id, lines: json.NewEncoder(io.MultiWriter(w, sum)), hash: sum}
	if err := e.write(exportLine{Version: exportVersion, Study: &st, Catalogue: saved}); err != nil {
		return err
	}
	for done := 0; done < last.Number; {
		plans, err := store.Plans(ctx, id, done, min(exportPage, last.Number-done))
		if err != nil {
			return err
		}
		if len(plans) == 0 {
			return UnlessErased(ctx, store, st, study.ErrNotFound) // the study was deleted meanwhile
		}
		for _, p := range plans {
			if err := e.outcomes(ctx, p.LastSeen); err != nil {
				return err
			}
			done = p.Number
			if p = p.Normal(); p.Number == last.Number {
				p.Verdict = last.Verdict // pruned if there is a later plan by now
			}
			if err := e.write(exportLine{Plan: &p}); err != nil {
				return err
			}
		}
	}
	if err := e.outcomes(ctx, math.MaxInt64); err != nil {
		return err
	}
	if err := UnlessErased(ctx, store, st, nil); err != nil {
		return err
	}
	end := newClosing(e.count, e.hash.Sum(nil), signingKey(secret))
	return e.write(exportLine{Closing: &end})
}

// WithoutClosing returns a writer of an exported log that drops the line of its closing, which differs with the key.
func WithoutClosing(to io.Writer) io.Writer { return &openLog{to: to} }

type openLog struct {
	to   io.Writer
	line []byte // unfinished
}

func (o *openLog) Write(text []byte) (int, error) {
	o.line = append(o.line, text...)
	for {
		end := bytes.IndexByte(o.line, '\n') + 1
		if end == 0 {
			return len(text), nil
		}
		if !bytes.HasPrefix(o.line, []byte(`{"closing":`)) {
			if _, err := o.to.Write(o.line[:end]); err != nil {
				return 0, err
			}
		}
		o.line = append(o.line[:0], o.line[end:]...)
	}
}

// exportable returns a study, its catalogue, and the last plan to export, the zero value if there is none. The catalogue has all
// arms of the plans up to that one. A finished study includes the plan that ended it.
func exportable(ctx context.Context, store study.Store, id string) (st study.Study, saved []byte, last study.Plan, err error) {
	if last, err = lastPlan(ctx, store, id); err != nil {
		return st, nil, last, err
	}
	if st, err = store.Study(ctx, id); err != nil {
		return st, nil, last, err
	}
	if saved, err = store.Catalogue(ctx, id); err != nil {
		return st, nil, last, err
	}
	if saved, st.Arms, err = canonical(saved, st.Arms); err != nil {
		return st, nil, last, err
	}
	if st.State == study.Done {
		last, err = lastPlan(ctx, store, id)
	}
	return st, saved, last, err
}

// canonical returns the first arms of a saved catalogue, 0 for all, in the bytes that this program
// writes, and their number. It omits arms that were added after the study was read.
func canonical(saved []byte, first int) ([]byte, int, error) {
	loaded, err := archive.Load(bytes.NewReader(saved), int64(len(saved)), "the catalogue of the study")
	if err != nil {
		return nil, 0, err
	}
	if first > 0 && first < loaded.Arms.Len() {
		loaded = loaded.First(first)
	}
	saved, err = Saved(loaded)
	return saved, loaded.Arms.Len(), err
}

// exportPage is the number of plans in memory at a time.
const exportPage = 1000

// An exporter writes, counts and hashes lines.
type exporter struct {
	store   study.Store
	id      string
	lines   *json.Encoder
	hash    hash.Hash
	count   int
	written int64 // outcomes
}

// write writes one line.
func (e *exporter) write(line exportLine) error {
	e.count++
	return e.lines.Encode(line)
}

// outcomes writes the outcomes up to a number that were not written yet.
func (e *exporter) outcomes(ctx context.Context, last int64) error {
	for o, err := range study.Log(ctx, e.store, e.id, e.written, last) {
		if err != nil {
			return err
		}
		o = o.Normal()
		if err := e.write(exportLine{Outcome: &o}); err != nil {
			return err
		}
		e.written = o.Number
	}
	return nil
}

// Package recording is what all stores do alike when outcomes are recorded: calls that come while
// the store is busy wait together, and one transaction writes them. A store gives only that.
package recording

import (
	"context"

	"bestpick/internal/group"
	"bestpick/study"
)

// mostAtOnce bounds the calls in one transaction.
const mostAtOnce = 1024

// A Request is a call of Record that waits. Whoever writes it sets Refused, or Err if there is
// nothing to write to.
type Request struct {
	Study   string
	Each    int // standing questions that a respondent may have, or study.NoLimit
	Entries []Entry

	Refused []error // for each entry, or nil where it is written
	Err     error

	done chan struct{}
}

// A Writer writes requests together.
type Writer struct {
	requests *group.Writer[*Request]
}

// New starts a Writer. write is a transaction: if it returns an error, nothing of the requests was
// written.
func New(write func(requests []*Request) error) *Writer {
	return &Writer{group.New(mostAtOnce, func(requests []*Request) {
		err := write(requests)
		for _, r := range requests {
			if err != nil {
				r.Refused, r.Err = nil, err
			}
			close(r.done)
		}
	})}
}

// Record writes outcomes of a study, and returns when they are written. See [study.Outcomes].
func (w *Writer) Record(ctx context.Context, id string, each int, outcomes ...study.Outcome) ([]error, error) {
	entries, err := record(outcomes)
	if err != nil {
		return nil, err
	}
	r := &Request{Study: id, Each: each, Entries: entries, done: make(chan struct{})}
	if err := w.requests.Put(ctx, r); err != nil {
		return nil, err
	}
	select {
	case <-r.done:
		return r.Refused, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close waits until what was handed over is written. It may be called again.
func (w *Writer) Close() { w.requests.Close() }

// Package recording implements group commit of outcomes, for all stores: calls of Record that
// arrive during a write go into the next one, in one transaction. A store provides the transaction.
package recording

import (
	"context"
	"time"

	"bestpick/internal/groupcommit"
	"bestpick/internal/study"
)

// maxAtOnce bounds the calls in one transaction.
const maxAtOnce = 1024

// A Request is a pending call of Record. A transaction sets Refused, or Err if the study does not
// exist, or Locked.
type Request struct {
	Study   string
	Each    int // standing questions that a respondent may have, or study.NoLimit
	Entries []Entry

	Refused []error // for each entry; nil if it is written
	Err     error
	Locked  bool // nothing is written: another transaction has locked the study

	since time.Time
	done  chan struct{}
}

// finish returns the outcome of a request to its caller.
func (r *Request) finish(err error) {
	if err != nil {
		r.Refused, r.Err = nil, err
	}
	close(r.done)
}

// A Writer writes requests of all studies together. Requests of a study that is locked wait in a
// lane of that study, and do not delay the others. Safe for concurrent use.
type Writer struct {
	requests *groupcommit.Writer[*Request]
	lanes    *lanes
}

// New starts a Writer. write is a transaction: if it returns an error, it has written nothing. It
// must not wait for locks of studies unless wait is set; then all requests are of one study.
func New(write func(requests []*Request, wait bool) error) *Writer {
	w := &Writer{lanes: newLanes(write)}
	w.requests = groupcommit.New(maxAtOnce, func(requests []*Request) {
		err := write(requests, false)
		for _, r := range requests {
			if err == nil && r.Locked {
				w.lanes.add(r)
				continue
			}
			r.finish(err)
		}
	})
	return w
}

// Record writes outcomes of a study, and returns when they are written. See [study.Outcomes].
func (w *Writer) Record(ctx context.Context, id string, each int, outcomes ...study.Outcome) ([]error, error) {
	entries, err := record(outcomes)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &Request{Study: id, Each: each, Entries: entries, since: time.Now(), done: make(chan struct{})}
	if !w.lanes.join(r) {
		if err := w.requests.Put(ctx, r); err != nil {
			return nil, err
		}
	}
	select {
	case <-r.done:
		return r.Refused, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close waits until all requests are written. It is idempotent.
func (w *Writer) Close() {
	w.requests.Close()
	w.lanes.wait()
}

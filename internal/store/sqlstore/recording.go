package sqlstore

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"bestpick/internal/study"
)

// maxAtOnce bounds the calls in one transaction.
const maxAtOnce = 1024

// A Request is a pending call of Record. A transaction sets Refused, or Err if the study does not
// exist or has changed, or Locked.
type Request struct {
	Study   string
	Terms   study.Terms
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

// A Writer implements group commit of outcomes: calls of Record that arrive during a write go into the next one, in one
// transaction, which a store provides. Requests of a study that is locked wait in a
// lane of that study, and do not delay the others. Safe for concurrent use.
type Writer struct {
	requests *groupWriter[*Request]
	lanes    *lanes
}

// NewWriter starts a Writer. write is a transaction: if it returns an error, it has written nothing. It
// must not wait for locks of studies unless wait is set; then all requests are of one study.
func NewWriter(write func(requests []*Request, wait bool) error) *Writer {
	w := &Writer{lanes: &lanes{write: write, turns: make(chan struct{}, lanesAtOnce), waiting: map[string][]*Request{}}}
	w.requests = newGroupWriter(maxAtOnce, func(requests []*Request) {
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
func (w *Writer) Record(ctx context.Context, id string, terms study.Terms, outcomes ...study.Outcome) ([]error, error) {
	entries, err := recordEntries(outcomes)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &Request{Study: id, Terms: terms, Entries: entries, since: time.Now(), done: make(chan struct{})}
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

// ErrClosed is returned after the writer was closed.
var ErrClosed = errors.New("the store is closed")

// A groupWriter implements group commit: requests that arrive during a write are written together by the
// next one. A lone request is not delayed. Safe for concurrent use.
type groupWriter[T any] struct {
	requests chan T
	closing  chan struct{}
	close    func()
	done     chan struct{}
}

// newGroupWriter starts a groupWriter that hands up to limit requests at a time to write. The slice is its own
// until it returns.
func newGroupWriter[T any](limit int, write func([]T)) *groupWriter[T] {
	w := &groupWriter[T]{requests: make(chan T), closing: make(chan struct{}), done: make(chan struct{})}
	w.close = sync.OnceFunc(func() { close(w.closing) })
	go w.run(limit, write)
	return w
}

// Put hands over a request. If it returns an error, the request is not written.
func (w *groupWriter[T]) Put(ctx context.Context, request T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case w.requests <- request:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closing:
		return ErrClosed
	}
}

// Close waits until what was handed over is written. It may be called again.
func (w *groupWriter[T]) Close() {
	w.close()
	<-w.done
}

func (w *groupWriter[T]) run(limit int, write func([]T)) {
	defer close(w.done)
	for {
		select {
		case first := <-w.requests:
			// Those whose requests were just written come first to their next ones.
			runtime.Gosched()
			write(w.waiting(first, limit))
		case <-w.closing:
			return
		}
	}
}

// waiting returns a request and all that wait besides.
func (w *groupWriter[T]) waiting(first T, limit int) []T {
	requests := []T{first}
	for len(requests) < limit {
		select {
		case next := <-w.requests:
			requests = append(requests, next)
		default:
			return requests
		}
	}
	return requests
}

const (
	patience    = 10 * time.Second       // a request fails with ErrBusy if its study is locked for longer
	firstPause  = 10 * time.Millisecond  // between two attempts to lock a study, at first
	longPause   = 100 * time.Millisecond // and after several
	lanesAtOnce = 2                      // transactions that wait for a lock at the same time
	maxWaiting  = 16 * maxAtOnce         // requests in one lane
)

// lanes hold the requests of studies that other transactions have locked: one lane for each study,
// which ends when its requests are written.
type lanes struct {
	write   func(requests []*Request, wait bool) error
	turns   chan struct{}
	running sync.WaitGroup

	mutex   sync.Mutex
	waiting map[string][]*Request // by study, besides the requests being written
}

// join puts a request into the lane of its study, if there is one.
func (l *lanes) join(r *Request) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_, exists := l.waiting[r.Study]
	if exists {
		l.put(r)
	}
	return exists
}

// add puts a request into the lane of its study. It starts the lane if needed.
func (l *lanes) add(r *Request) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_, exists := l.waiting[r.Study]
	l.put(r)
	if !exists {
		l.running.Go(func() { l.run(r.Study) })
	}
}

func (l *lanes) put(r *Request) {
	lane := l.waiting[r.Study]
	if len(lane) >= maxWaiting {
		r.finish(study.ErrBusy)
		return
	}
	l.waiting[r.Study] = append(lane, r)
}

// run writes the requests of a lane until none is left. After a lock timeout it polls whether the
// study is still locked.
func (l *lanes) run(id string) {
	pause, wait := firstPause, true
	for requests := l.take(id); requests != nil; requests = l.take(id) {
		l.turns <- struct{}{}
		err := l.write(requests, wait)
		<-l.turns
		if err == nil && requests[0].Locked {
			l.putBack(id, requests)
			time.Sleep(pause)
			pause, wait = min(2*pause, longPause), false
			continue
		}
		for _, r := range requests {
			r.finish(err)
		}
		pause, wait = firstPause, true
	}
}

// take returns the requests to be written next. It fails requests that have waited for too long. If
// none is left it ends the lane.
func (l *lanes) take(id string) []*Request {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	lane := l.waiting[id]
	for len(lane) > 0 && time.Since(lane[0].since) > patience { // roughly in order of arrival
		lane[0].finish(study.ErrBusy)
		lane = lane[1:]
	}
	if len(lane) == 0 {
		delete(l.waiting, id)
		return nil
	}
	n := min(len(lane), maxAtOnce)
	l.waiting[id] = lane[n:]
	return lane[:n:n]
}

// putBack returns requests to the head of their lane.
func (l *lanes) putBack(id string, requests []*Request) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.waiting[id] = append(requests, l.waiting[id]...)
}

// wait returns when all lanes have ended.
func (l *lanes) wait() { l.running.Wait() }

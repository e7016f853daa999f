package sqlstore

import (
	"sync"
	"time"

	"bestpick/internal/study"
)

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

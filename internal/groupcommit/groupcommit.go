// Package groupcommit writes together what many goroutines want written at the same time, so that they
// share the wait for the disk.
package groupcommit

import (
	"context"
	"errors"
	"runtime"
	"sync"
)

// ErrClosed is returned after the writer was closed.
var ErrClosed = errors.New("the store is closed")

// A Writer implements group commit: requests that arrive during a write are written together by the
// next one. A lone request is not delayed. Safe for concurrent use.
type Writer[T any] struct {
	requests chan T
	closing  chan struct{}
	close    func()
	done     chan struct{}
}

// New starts a Writer that hands up to most requests at a time to write. The slice is its own
// until it returns.
func New[T any](most int, write func([]T)) *Writer[T] {
	w := &Writer[T]{requests: make(chan T), closing: make(chan struct{}), done: make(chan struct{})}
	w.close = sync.OnceFunc(func() { close(w.closing) })
	go w.run(most, write)
	return w
}

// Put hands over a request. If it returns an error, the request is not written.
func (w *Writer[T]) Put(ctx context.Context, request T) error {
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
func (w *Writer[T]) Close() {
	w.close()
	<-w.done
}

func (w *Writer[T]) run(most int, write func([]T)) {
	defer close(w.done)
	for {
		select {
		case first := <-w.requests:
			// Those whose requests were just written come first to their next ones.
			runtime.Gosched()
			write(w.waiting(first, most))
		case <-w.closing:
			return
		}
	}
}

// waiting returns a request and all that wait besides.
func (w *Writer[T]) waiting(first T, most int) []T {
	requests := []T{first}
	for len(requests) < most {
		select {
		case next := <-w.requests:
			requests = append(requests, next)
		default:
			return requests
		}
	}
	return requests
}

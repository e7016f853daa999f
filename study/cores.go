package study

import (
	"context"
	"runtime"
	"time"
)

// quantum is how long one plan may hold a core while others wait for it.
const quantum = 20 * time.Millisecond

// cores limits how many plans are computed at a time, so that requests always find a core that is not
// busy with mathematics. Waiting plans are served in order of arrival.
type cores chan struct{}

// newCores returns one core fewer than the process has, and at least one.
func newCores() cores { return make(cores, max(1, runtime.GOMAXPROCS(0)-1)) }

// use runs a computation on a core. The computation should call pause often: pause lets others use the
// core after a quantum, and returns an error when the context has ended.
func (c cores) use(ctx context.Context, compute func(pause func() error) error) error {
	select {
	case c <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-c }()
	began := time.Now()
	return compute(func() error {
		if time.Since(began) >= quantum {
			<-c
			c <- struct{}{}
			began = time.Now()
		}
		return context.Cause(ctx)
	})
}

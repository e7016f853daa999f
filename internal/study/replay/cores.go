package replay

import (
	"context"
	"runtime"
	"time"
)

// quantum is how long one computation may hold a core while others wait.
const quantum = 20 * time.Millisecond

// A Weight is the expected length of a computation.
type Weight bool

const (
	light Weight = false // a plan of a few answers

	// Heavy is the weight of a full slice, a replay of plans, or a snapshot.
	Heavy Weight = true
)

// Cores limits how many plans are computed concurrently. Heavy computations leave one core to
// requests and to light computations; if there is only one core, the scheduler divides it among
// them. Waiting computations are served in order of arrival.
type Cores struct{ all, heavy chan struct{} }

// NewCores returns all cores of this process.
func NewCores() Cores {
	n := max(1, runtime.GOMAXPROCS(0)-1)
	return Cores{all: make(chan struct{}, n+1), heavy: make(chan struct{}, n)}
}

// Use runs a computation on a core. The computation should call pause often: pause lets others use the
// core after a quantum, and returns an error when the context has ended.
func (c Cores) Use(ctx context.Context, w Weight, compute func(pause func() error) error) error {
	if err := c.take(ctx, w); err != nil {
		return err
	}
	defer c.give(w)
	began := time.Now()
	return compute(func() error {
		if time.Since(began) >= quantum {
			c.give(w)
			_ = c.take(context.WithoutCancel(ctx), w) // others soon return one
			began = time.Now()
		}
		return context.Cause(ctx)
	})
}

// take waits for a core.
func (c Cores) take(ctx context.Context, w Weight) error {
	if w == Heavy {
		select {
		case c.heavy <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	select {
	case c.all <- struct{}{}:
		return nil
	case <-ctx.Done():
		if w == Heavy {
			<-c.heavy
		}
		return context.Cause(ctx)
	}
}

// give returns a core.
func (c Cores) give(w Weight) {
	<-c.all
	if w == Heavy {
		<-c.heavy
	}
}

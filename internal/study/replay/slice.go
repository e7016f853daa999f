package replay

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"bestpick/internal/study"
)

// Limits of a slice.
const (
	MaxSlice = 5000        // maximum number of outcomes that one plan counts
	sliceFor = time.Second // after which a plan counts no more of them
)

// errEnough ends a slice before all of its outcomes are counted.
var errEnough = errors.New("study: the slice has taken long enough")

// A Slice is the first part of the uncounted log.
type Slice struct {
	Log  []study.Outcome // at most as many as one plan counts
	back []study.Outcome // later undos of answers in Log
	Full bool            // the log may have more outcomes
}

// ReadSlice reads up to most outcomes after those in log, or after outcome number after if log is
// empty, of a log that had outcomes up to last. It reads the undos last: an undo that arrives later has a larger number than
// all in the slice, and the store then refuses the plan.
func ReadSlice(
	ctx context.Context, store study.Outcomes, id string, log []study.Outcome, after, last int64, most int,
) (s Slice, err error) {
	if len(log) > 0 {
		after = log[len(log)-1].Number
	}
	if len(log) < most && after < last {
		more, err := store.Log(ctx, id, after, most-len(log))
		if err != nil {
			return Slice{}, err
		}
		log = append(log, more...)
	}
	s.Log = log
	if s.Full = len(s.Log) > 0 && len(s.Log) >= most; s.Full {
		s.back, err = store.Undone(ctx, id, s.Log[len(s.Log)-1].Number)
	}
	return s, err
}

// all returns the outcomes of the slice and the undos after them.
func (s Slice) all() []study.Outcome { return append(slices.Clip(s.Log), s.back...) }

// LastSeen returns the number up to which the log is known: the slice has all undos of its answers up to there.
func (s Slice) LastSeen(told int64) int64 {
	if n := len(s.back); n > 0 {
		return s.back[n-1].Number
	}
	if n := len(s.Log); n > 0 {
		return s.Log[n-1].Number
	}
	return told
}

// more reports whether more outcomes can be counted now, after those up to told, if those up to settled can no longer be undone.
func (s Slice) more(told, settled int64) bool {
	return told < settled || s.Full && told == s.Log[len(s.Log)-1].Number
}

// Patience returns a check to call between two outcomes of a slice. It ends the slice when its time
// is over, or when stop is closed because the process stops.
func Patience(stop <-chan struct{}, pause func() error) func() error {
	began := time.Now()
	return func() error {
		select {
		case <-stop:
			return errEnough
		default:
		}
		if time.Since(began) >= sliceFor {
			return errEnough
		}
		return pause()
	}
}

// Settled returns the number of the last outcome before the first that must wait, or told if the first must wait. Answers wait
// until they can no longer be undone. Answers more than grace in the future come from a wrong clock, and do not wait. Imported
// answers about arms that the planner has not read yet wait for the next plan; it has read the given number of arms.
func Settled(log []study.Outcome, told int64, arms int, now time.Time, grace time.Duration) (upto int64) {
	upto = told
	for _, o := range log {
		age := now.Sub(o.At)
		recent := o.Kind == study.Answered && age < grace && age > -grace
		unknown := o.Kind == study.Imported && slices.ContainsFunc(o.Shown, func(arm int) bool { return arm >= arms })
		if recent || unknown {
			break
		}
		upto = o.Number
	}
	return upto
}

// quantum is how long one computation may hold a core while others wait.
const quantum = 20 * time.Millisecond

// A Weight is the expected length of a computation.
type Weight bool

const (
	light Weight = false // a plan of a few answers

	// Heavy is the weight of a full slice, a replay of plans, or a snapshot.
	Heavy Weight = true
)

// Cores limits how many plans are computed concurrently. Heavy computations leave one core to requests and to light computations;
// if there is only one core, the scheduler divides it among them. Waiting computations are served in order of arrival.
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

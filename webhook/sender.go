package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"bestpick/api/wire"
	"bestpick/study"
)

const (
	every    = time.Second      // how often to look whether there is something to tell
	atOnce   = 4                // hooks, so that one who is slow does not keep the others waiting
	patience = 10 * time.Second // with one who is told
	hold     = 30 * time.Second // how long a hook is one process's
	soon     = 2 * time.Second  // to look again whether a verdict is final

	shortest = 10 * time.Second // between two attempts, at first
	pause    = time.Hour        // and at last
	giveUp   = 24 * time.Hour   // after the first attempt
)

// Options are what a sender needs.
type Options struct {
	Store Store

	// Notice says what there is to tell of a study that is done, and whether that is final.
	Notice func(ctx context.Context, study string) (notice wire.Notice, final bool, err error)

	// Private allows addresses that are not public, and plain HTTP.
	Private bool

	// Clock tells the time. Default time.Now.
	Clock func() time.Time

	// Observe is told what became of every attempt, with the error if there was no reply, and without a hook what
	// is wrong here. Nothing it is told has a secret in it but the hook. It is called from many
	// goroutines. Default nobody is.
	Observe func(h Hook, err error)
}

// A Sender tells what there is to tell, in one of perhaps several processes.
type Sender struct {
	Options

	client   *http.Client
	patience time.Duration
}

// NewSender returns one.
func NewSender(o Options) *Sender {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Observe == nil {
		o.Observe = func(Hook, error) {}
	}
	return &Sender{Options: o, client: newClient(o.Private), patience: patience}
}

// Run tells what there is until the context ends. Attempts that are under way then are brought to their end.
func (s *Sender) Run(ctx context.Context) {
	var telling sync.WaitGroup
	defer telling.Wait()
	slots := make(chan struct{}, atOnce)
	for ctx.Err() == nil {
		slots <- struct{}{}
		h, err := s.take(ctx)
		if err == nil {
			telling.Go(func() {
				s.tell(context.WithoutCancel(ctx), h)
				<-slots
			})
			continue
		}
		<-slots
		if !errors.Is(err, ErrNone) && ctx.Err() == nil {
			s.Observe(Hook{}, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
}

// Step tells one thing, and reports whether there was one.
func (s *Sender) Step(ctx context.Context) (bool, error) {
	h, err := s.take(ctx)
	if errors.Is(err, ErrNone) {
		return false, nil
	}
	if err == nil {
		s.tell(ctx, h)
	}
	return err == nil, err
}

// now is the time as finely as stores keep it.
func (s *Sender) now() time.Time { return s.Clock().UTC().Truncate(time.Microsecond) }

func (s *Sender) take(ctx context.Context) (Hook, error) {
	now := s.now()
	return s.Store.TakeWebhook(ctx, now, now.Add(hold))
}

// tell makes an attempt with a hook that was taken, and writes down what became of it.
func (s *Sender) tell(ctx context.Context, h Hook) {
	until := h.Next
	notice, final, err := s.Notice(ctx, h.Study)
	now := s.now()
	switch {
	case errors.Is(err, study.ErrNotFound):
		return // it was deleted, and the hook with it
	case err != nil:
		s.Observe(Hook{}, err)
		return // somebody tries again when the time is over
	case !final:
		h.Next = now.Add(soon)
	case until.Sub(now) < patience+soon:
		return // it took too long, and somebody else may be at it before this ends
	default:
		s.attempt(ctx, &h, notice)
	}
	if err := s.Store.FinishWebhook(ctx, h, until); err != nil && !errors.Is(err, ErrLost) {
		s.Observe(Hook{}, err)
	}
}

// attempt posts a notice.
func (s *Sender) attempt(ctx context.Context, h *Hook, notice wire.Notice) {
	notice.Delivery = h.Delivery
	body, err := json.Marshal(notice)
	if err != nil {
		panic("webhook: " + err.Error())
	}
	began := s.now()
	if h.Attempts == 0 {
		h.First = began
	}
	h.Attempts++
	h.Last = began
	h.Status, err = s.post(ctx, *h, body)
	h.Problem = problem(err)
	after := began.Add(wait(h.Attempts, rand.Float64()))
	switch {
	case h.Status/100 == 2:
		h.State = Delivered
	case after.Sub(h.First) > giveUp:
		h.State = GivenUp
	default:
		h.Next = after.Truncate(time.Microsecond)
	}
	s.Observe(*h, err)
}

// wait is how long to wait after so many attempts: twice as long every time, and between half and all of it, so that
// those who failed together do not come again together.
func wait(attempts int, luck float64) time.Duration {
	longest := pause
	if doublings := attempts - 1; doublings < 10 {
		longest = min(pause, shortest<<doublings)
	}
	return longest/2 + time.Duration(luck*float64(longest/2))
}

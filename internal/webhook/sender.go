package webhook

import (
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"bestpick/internal/outbound"
	"bestpick/internal/study"
	"bestpick/wire"
)

const (
	every    = time.Second      // between two polls of the store
	atOnce   = 4                // concurrent deliveries, so slow receivers do not delay others
	patience = 10 * time.Second // the timeout of an attempt
	hold     = 30 * time.Second // the lease of a hook
	soon     = 2 * time.Second  // before the next check whether a verdict is final

	shortest = 10 * time.Second // the first backoff
	pause    = time.Hour        // the longest backoff
	giveUp   = 24 * time.Hour   // after the first attempt
)

// Options configure a sender.
type Options struct {
	Store Store

	// Notice returns the notice of a study that is done, and whether it is final.
	Notice func(ctx context.Context, study string) (notice wire.Notice, final bool, err error)

	// Private allows addresses that are not public, and plain HTTP.
	Private bool

	// Clock returns the time. Defaults to time.Now.
	Clock func() time.Time

	// Observe is called after every attempt, with the error if there was no reply, and with an empty hook after
	// other errors. Only the hook contains secrets. It must be safe for concurrent use. Defaults to nothing.
	Observe func(h Hook, err error)
}

// A Sender delivers webhooks. Several processes may run one on the same store.
type Sender struct {
	Options

	client   *http.Client
	patience time.Duration
}

// NewSender returns a sender.
func NewSender(o Options) *Sender {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Observe == nil {
		o.Observe = func(Hook, error) {}
	}
	return &Sender{Options: o, client: outbound.NewClient(o.Private), patience: patience}
}

// Run delivers webhooks until the context ends, and then waits for attempts in progress.
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

// Step makes one attempt, and reports whether one was due.
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

// now returns the time in the precision of stores.
func (s *Sender) now() time.Time { return s.Clock().UTC().Truncate(time.Microsecond) }

func (s *Sender) take(ctx context.Context) (Hook, error) {
	now := s.now()
	return s.Store.TakeWebhook(ctx, now, now.Add(hold))
}

// tell makes an attempt with a leased hook, and stores the result.
func (s *Sender) tell(ctx context.Context, h Hook) {
	until := h.Next
	notice, final, err := s.Notice(ctx, h.Study)
	now := s.now()
	switch {
	case errors.Is(err, study.ErrNotFound):
		return // the study was deleted, and the hook with it
	case err != nil:
		s.Observe(Hook{}, err)
		return // the lease expires, and a process retries
	case !final:
		h.Next = now.Add(soon)
	case until.Sub(now) < patience+soon:
		return // the lease may expire before the attempt ends
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
	s.log(ctx, h.Study, Delivery{At: began, Status: h.Status, Problem: h.Problem, Took: s.Clock().Sub(began)})
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

// Test posts a signed test notice to the URL of a hook, and adds the attempt to the log.
func (s *Sender) Test(ctx context.Context, h Hook) Delivery {
	began := s.now()
	h.Delivery = crand.Text()
	body, err := json.Marshal(wire.Notice{Delivery: h.Delivery, Study: h.Study, Test: true, At: began})
	if err != nil {
		panic("webhook: " + err.Error())
	}
	d := Delivery{At: began, Test: true}
	d.Status, err = s.post(ctx, h, body)
	d.Problem, d.Took = problem(err), s.Clock().Sub(began)
	s.log(ctx, h.Study, d)
	return d
}

// log adds an attempt to the log of a study.
func (s *Sender) log(ctx context.Context, id string, d Delivery) {
	if err := s.Store.AddDelivery(ctx, id, d); err != nil && !errors.Is(err, study.ErrNotFound) {
		s.Observe(Hook{}, err)
	}
}

// wait returns the backoff after a number of attempts: exponential, with jitter.
func wait(attempts int, luck float64) time.Duration {
	longest := pause
	if doublings := attempts - 1; doublings < 10 {
		longest = min(pause, shortest<<doublings)
	}
	return longest/2 + time.Duration(luck*float64(longest/2))
}

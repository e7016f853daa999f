package webhook

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/jobs"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/wire"
)

const (
	patience = 10 * time.Second // the timeout of an attempt
	soon     = 2 * time.Second  // before the next check whether a verdict is final
	giveUp   = 24 * time.Hour   // after the first attempt
)

// Options configure a sender.
type Options struct {
	Store Store

	// Notice returns the notice of a study, and whether it is final.
	Notice func(ctx context.Context, study string) (notice wire.Notice, final bool, err error)

	// Private allows addresses that are not public, and plain HTTP.
	Private bool

	// Mail sends a notice to an e-mail address. Defaults to none, which refuses hooks with such addresses.
	Mail func(ctx context.Context, to string, notice wire.Notice) error

	// Clock returns the time. Defaults to time.Now.
	Clock func() time.Time

	// Observe is called after every attempt, with the error if there was no reply, and with an empty hook after
	// other errors. Only the hook contains secrets. It must be safe for concurrent use. Defaults to nothing.
	Observe func(h Hook, err error)
}

// A Sender delivers webhooks, as the worker of background jobs.
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
	return &Sender{Options: o, client: middleware.NewClient(o.Private), patience: patience}
}

// now returns the time in the precision of stores.
func (s *Sender) now() time.Time { return s.Clock().UTC().Truncate(time.Microsecond) }

// Deliver makes an attempt to deliver a webhook, if one is due.
func (s *Sender) Deliver(ctx context.Context, job jobs.Delivery) error {
	h, err := s.Store.Webhook(ctx, job.Study)
	switch {
	case gone(err):
		return nil
	case err != nil:
		return err
	case h.Delivery != job.Delivery || h.State != Waiting:
		return nil
	case h.Next.After(s.now()):
		return jobs.AgainError{At: h.Next}
	}
	notice, final, err := s.Notice(ctx, job.Study)
	switch {
	case gone(err):
		return nil
	case err != nil:
		return err
	case notice.State != wire.StateDone:
		return nil // there is another job when the study ends
	case !final:
		return jobs.AgainError{At: s.now().Add(soon)}
	}
	if notice.Reason == wire.ReasonStopped && strings.HasPrefix(h.URL, mailTo) {
		h.State = GivenUp // owners who stop a study know of it
	} else {
		s.attempt(ctx, &h, notice)
	}
	if err := s.Store.SaveAttempt(ctx, h); gone(err) || errors.Is(err, ErrLost) {
		return nil
	} else if err != nil {
		return err
	}
	if h.State == Waiting {
		return jobs.AgainError{At: h.Next}
	}
	return nil
}

// gone reports whether the hook or its study was deleted.
func gone(err error) bool { return errors.Is(err, study.ErrNotFound) || errors.Is(err, ErrNone) }

// attempt posts a notice.
func (s *Sender) attempt(ctx context.Context, h *Hook, notice wire.Notice) {
	var err error
	began := s.now()
	if h.Attempts == 0 {
		h.First = began
	}
	h.Attempts++
	h.Last = began
	h.Status, err = s.send(ctx, *h, notice)
	h.Problem = problem(err)
	s.log(ctx, h.Study, Delivery{At: began, Status: h.Status, Problem: h.Problem, Took: s.Clock().Sub(began)})
	after := began.Add(jobs.Wait(h.Attempts))
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

// Test sends the present state of a study as a test notice, and adds the attempt to the log.
func (s *Sender) Test(ctx context.Context, h Hook) error {
	notice, _, err := s.Notice(ctx, h.Study)
	if err != nil {
		return err
	}
	began := s.now()
	h.Delivery, notice.Test, notice.At = crand.Text(), true, began
	d := Delivery{At: began, Test: true}
	d.Status, err = s.send(ctx, h, notice)
	d.Problem, d.Took = problem(err), s.Clock().Sub(began)
	s.log(ctx, h.Study, d)
	return nil
}

// log adds an attempt to the log of a study.
func (s *Sender) log(ctx context.Context, id string, d Delivery) {
	if err := s.Store.AddDelivery(ctx, id, d); err != nil && !errors.Is(err, study.ErrNotFound) {
		s.Observe(Hook{}, err)
	}
}

func (h Hook) job() jobs.Delivery { return jobs.Delivery{Study: h.Study, Delivery: h.Delivery} }

// Set sets or replaces the hook of a study, and has it delivered if the study is done. An open study gets its job from
// Ended: a job that runs just before the study ends would keep Ended from adding another.
func (s *Sender) Set(ctx context.Context, h Hook) error {
	if err := s.Store.SetWebhook(ctx, h); err != nil {
		return err
	}
	notice, _, err := s.Notice(ctx, h.Study)
	if err != nil || notice.State != wire.StateDone {
		return err
	}
	return s.Store.AddJob(ctx, h.job(), 0)
}

// Ended has the hook of a study delivered, if there is one. It is called when the study has ended.
func (s *Sender) Ended(ctx context.Context, id string) {
	h, err := s.Store.Webhook(ctx, id)
	if err == nil && h.State == GivenUp && h.Attempts == 0 {
		h.State = Waiting // the owner had stopped the study, and opened it again
		err = s.Store.SetWebhook(ctx, h)
	}
	if err == nil && h.State == Waiting {
		err = s.Store.AddJob(ctx, h.job(), 0)
	}
	if err != nil && !gone(err) {
		s.Observe(Hook{}, err) // Recover has it delivered later
	}
}

// The pace of Recover.
const (
	recoverEvery = time.Minute
	maxRecovered = 1000
)

// Recover adds the jobs of deliveries that are due and have none, until the context ends: a process may have been killed
// after the write that ended the study.
func (s *Sender) Recover(ctx context.Context) {
	for ctx.Err() == nil {
		due, err := s.Store.DueWebhooks(ctx, s.now(), maxRecovered)
		for _, h := range due {
			err = errors.Join(err, s.Store.AddJob(ctx, h.job(), 0))
		}
		if err != nil && ctx.Err() == nil {
			s.Observe(Hook{}, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(recoverEvery):
		}
	}
}

// send posts a signed notice, or sends it as e-mail, and returns the status of the reply. Errors do not contain the URL,
// which may be secret.
func (s *Sender) send(ctx context.Context, h Hook, notice wire.Notice) (status int, err error) {
	if err := s.CheckURL(h.URL); err != nil {
		return 0, middleware.ErrNotPublic // the server may allow less than when the hook was set
	}
	if to, is := strings.CutPrefix(h.URL, mailTo); is {
		if err := s.Mail(ctx, to, notice); err != nil {
			return 0, err
		}
		return 250, nil // as an SMTP server replies
	}
	notice.Delivery = h.Delivery
	body, err := json.Marshal(notice)
	if err != nil {
		panic("webhook: " + err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return 0, bare(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "bestpick")
	at := s.Clock()
	r.Header.Set(IDHeader, h.Delivery)
	r.Header.Set(TimestampHeader, strconv.FormatInt(at.Unix(), 10))
	r.Header.Set(SignatureHeader, Sign(h.Secret, h.Delivery, at, body))
	reply, err := s.client.Do(r)
	if err != nil {
		return 0, bare(err)
	}
	const most = 4 << 10 // bytes; the body is discarded
	_, _ = io.CopyN(io.Discard, reply.Body, most)
	_ = reply.Body.Close()
	return reply.StatusCode, nil
}

// bare returns an error without the URL.
func bare(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}

// problem describes why there was no reply. It reveals nothing about networks that the owner of a study cannot see.
func problem(err error) string {
	if err == nil {
		return ""
	}
	if _, is := errors.AsType[*net.DNSError](err); is {
		return "its name is not known"
	}
	if _, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return "its certificate is not trusted"
	}
	switch {
	case errors.Is(err, middleware.ErrNotPublic):
		return middleware.ErrNotPublic.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "there was no reply within 10 seconds"
	}
	return "it cannot be reached"
}

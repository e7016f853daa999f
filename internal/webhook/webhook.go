// Package webhook delivers verdicts: when a study is done, it posts the verdict to the URL that the owner has set.
// Deliveries are signed as Standard Webhooks defines it, and retried with backoff until they are received. Each is a
// background job, so it survives restarts, and one process at a time attempts it.
package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/jobs"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
)

// A Hook is the webhook of a study, with the state of its delivery.
type Hook struct {
	Study    string // its id
	URL      string
	Secret   string // signs deliveries
	Delivery string // the webhook-id, the same at every attempt
	Made     time.Time
	State    State
	Attempts int
	First    time.Time // attempt
	Last     time.Time // attempt
	Status   int       // HTTP status of the last attempt, 0 without a reply
	Problem  string    // why there was no reply
	Next     time.Time // no attempt before this time
}

// A State is the state of a delivery.
type State string

// The states.
const (
	Waiting   State = "waiting" // for the study to be done, or for the next attempt
	Delivered State = "delivered"
	GivenUp   State = "given-up"
)

// A Delivery is one attempt to deliver a notice, as the log of a study has it.
type Delivery struct {
	At      time.Time
	Test    bool   // it was a test
	Status  int    // HTTP status, 0 without a reply
	Problem string // why there was no reply
	Took    time.Duration
}

// MaxDeliveries is the number of attempts in the log of a study.
const MaxDeliveries = 20

// Errors of stores, besides study.ErrNotFound.
var (
	ErrNone = errors.New("webhook: the study has no webhook")
	ErrLost = errors.New("webhook: the hook was replaced")
)

// A Store stores hooks. Deleting a study deletes its hook. All methods are safe for concurrent use, from several processes; those
// with the ID of a study return study.ErrNotFound if there is no such study. Stores do not read the clock.
type Store interface {
	// SetWebhook sets or replaces the hook of a study.
	SetWebhook(ctx context.Context, h Hook) error

	// Webhook returns the hook of a study, or ErrNone.
	Webhook(ctx context.Context, study string) (Hook, error)

	// RemoveWebhook removes the hook of a study, or returns ErrNone.
	RemoveWebhook(ctx context.Context, study string) error

	// DueWebhooks returns up to limit waiting hooks of studies that are done, with Next not after now, in the order of Next.
	DueWebhooks(ctx context.Context, now time.Time, limit int) ([]Hook, error)

	// SaveAttempt stores the result of an attempt with a waiting hook. It returns ErrLost if the hook was replaced, or
	// is no longer waiting.
	SaveAttempt(ctx context.Context, h Hook) error

	// AddDelivery adds an attempt to the log of a study, which keeps the last MaxDeliveries.
	AddDelivery(ctx context.Context, study string, d Delivery) error

	// Deliveries returns the log of a study, newest first. It outlives the hook, but not the study.
	Deliveries(ctx context.Context, study string) ([]Delivery, error)

	// AddJob adds a job to a [jobs.Queue].
	AddJob(ctx context.Context, args jobs.Args, delay time.Duration) error
}

// New returns a hook with a new secret. It truncates the time to the precision of stores. The URL must pass [Options.CheckURL].
func New(study, url string, now time.Time) Hook {
	now = now.UTC().Truncate(time.Microsecond)
	return Hook{Study: study, URL: url, Secret: newSecret(), Delivery: rand.Text(), Made: now, State: Waiting, Next: now}
}

// MaxURL is the largest length of a URL in bytes.
const MaxURL = 2000

// mailTo is the scheme of an e-mail address.
const mailTo = "mailto:"

// CheckURL returns an error unless a webhook may have this URL.
func (o Options) CheckURL(text string) error {
	if to, is := strings.CutPrefix(text, mailTo); is {
		parsed, err := mail.ParseAddress(to)
		switch {
		case o.Mail == nil:
			return errors.New("e-mail needs a mail server: see bestpick serve --smtp")
		case err != nil || parsed.Address != to:
			return fmt.Errorf("the address must have the form mailto:anna@example.com, got %.100q", text)
		}
		return nil
	}
	private := o.Private
	parsed, err := url.Parse(text)
	switch {
	case err != nil || parsed.Hostname() == "" || parsed.Opaque != "":
		return errors.New("the address must have the form https://example.com/hook")
	case len(text) > MaxURL:
		return fmt.Errorf("the address must have at most %d bytes, got %d", MaxURL, len(text))
	case parsed.Scheme != "https" && (parsed.Scheme != "http" || !private):
		return errors.New("the address must begin with https://")
	case parsed.User != nil:
		return errors.New("the address must not contain a user name or password")
	case parsed.Fragment != "" || strings.HasSuffix(text, "#"):
		return errors.New("the address must not contain #")
	}
	if address, err := netip.ParseAddr(parsed.Hostname()); err == nil && !private && !middleware.Public(address) {
		return middleware.ErrNotPublic
	}
	return nil
}

// Check returns an error unless every store can store the hook.
func (h Hook) Check() error {
	const most = 10_000 // bytes
	for _, field := range []struct{ name, text string }{
		{"URL", h.URL}, {"secret", h.Secret}, {"delivery ID", h.Delivery}, {"state", string(h.State)}, {"problem", h.Problem},
	} {
		if len(field.text) > most || !study.IsText(field.text) {
			return fmt.Errorf("webhook: %s is not valid UTF-8 or exceeds %d bytes", field.name, most)
		}
	}
	if h.URL == "" || h.Secret == "" || h.Delivery == "" {
		return errors.New("webhook: a hook needs a URL, a secret and a delivery ID")
	}
	if h.State != Waiting && h.State != Delivered && h.State != GivenUp {
		return fmt.Errorf("webhook: unknown state %.100q", h.State)
	}
	return nil
}

// The headers of a delivery, as Standard Webhooks (https://www.standardwebhooks.com) defines them.
const (
	IDHeader        = "Webhook-Id"
	TimestampHeader = "Webhook-Timestamp"
	SignatureHeader = "Webhook-Signature"
)

// secretPrefix precedes the base64 encoding of a key.
const secretPrefix = "whsec_"

// newSecret returns a secret with a random key of 32 bytes.
func newSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// key returns the HMAC key of a secret, or nil if that is not one.
func key(secret string) []byte {
	encoded, is := strings.CutPrefix(secret, secretPrefix)
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if !is || err != nil || len(decoded) == 0 {
		return nil
	}
	return decoded
}

// Sign returns the signature of a delivery: "v1," and the base64 encoding of the HMAC-SHA256 of its ID, the time in
// seconds and the body, separated by dots.
func Sign(secret, id string, at time.Time, body []byte) string {
	return "v1," + base64.StdEncoding.EncodeToString(sum(secret, id, strconv.FormatInt(at.Unix(), 10), body))
}

func sum(secret, id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, key(secret))
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

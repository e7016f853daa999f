// Package webhook delivers verdicts: when a study is done, it posts the verdict to the URL that the owner has set.
// Deliveries are signed as Standard Webhooks defines it, and retried with backoff until they are received. They are
// stored, so they survive restarts, and a lease lets one process at a time attempt each.
package webhook

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// A Hook says where the end of a study is told, and how far that is.
type Hook struct {
	Study    string // its id
	URL      string
	Secret   string // signs what is told
	Delivery string // the id of what is told, the same at every attempt
	Made     time.Time
	State    State
	Attempts int
	First    time.Time // attempt
	Last     time.Time // attempt
	Status   int       // of HTTP, that the last attempt was replied with, 0 if it was not
	Problem  string    // what else was wrong with it
	Next     time.Time // nobody tries before this
}

// A State says how far a hook is.
type State string

// The states.
const (
	Waiting   State = "waiting" // for the study to be done, or for the next attempt
	Delivered State = "delivered"
	GivenUp   State = "given-up"
)

// What a store of hooks may return, besides study.ErrNotFound.
var (
	ErrNone = errors.New("webhook: there is none")
	ErrLost = errors.New("webhook: it was replaced, or somebody else has it")
)

// A Store keeps hooks. One that belongs to a study is deleted with it. All methods may be called at any
// time, from many goroutines and processes; those with the id of a study return study.ErrNotFound if there is
// no such study. Stores do not read the clock.
type Store interface {
	// SetWebhook sets the hook of a study, instead of the one it has.
	SetWebhook(ctx context.Context, h Hook) error

	// Webhook returns the hook of a study, or ErrNone.
	Webhook(ctx context.Context, study string) (Hook, error)

	// RemoveWebhook removes the hook of a study, or returns ErrNone.
	RemoveWebhook(ctx context.Context, study string) error

	// TakeWebhook returns a waiting hook of a study that is done, with Next not after now, or ErrNone. It sets Next
	// to until: nobody else gets it before.
	TakeWebhook(ctx context.Context, now, until time.Time) (Hook, error)

	// FinishWebhook writes what became of a hook that was taken until a time. If it was replaced or taken by
	// somebody else since, it returns ErrLost.
	FinishWebhook(ctx context.Context, h Hook, until time.Time) error
}

// New returns a hook with a new secret. It truncates the time to the precision of stores. The URL must pass
// [CheckURL].
func New(study, url string, now time.Time) Hook {
	now = now.UTC().Truncate(time.Microsecond)
	return Hook{Study: study, URL: url, Secret: newSecret(), Delivery: rand.Text(), Made: now, State: Waiting, Next: now}
}

// Package access knows who may do what. Whoever runs studies shows a token, a long random text
// that is given out once; what is kept of it is a hash, so that nobody who reads the store can
// act as an owner. Respondents need none: they have the link of a study, or one of their own.
package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"
)

// A Role is what somebody may do.
type Role string

// The roles.
const (
	Owner  Role = "owner"  // everything
	Viewer Role = "viewer" // reading what is known, but changing nothing, and nothing about respondents
)

// May reports whether a role allows what another one is needed for.
func (r Role) May(needed Role) bool { return r == Owner || r == needed }

// A Token is what is kept of one that was given out.
type Token struct {
	Name    string    `json:"name"` // whose it is
	Role    Role      `json:"role"`
	Hash    string    `json:"-"`
	Created time.Time `json:"created"`
}

// What a store of tokens may return.
var (
	ErrUnknown = errors.New("access: there is no such token")
	ErrTaken   = errors.New("access: there is a token already")
	ErrLast    = errors.New("access: this is the last token of an owner")
)

// Tokens is where tokens are kept. All methods may be called at any time, from many goroutines.
type Tokens interface {
	// AddFirstToken adds a token if there is none at all, and otherwise returns ErrTaken: of several
	// processes that start at once one is first.
	AddFirstToken(ctx context.Context, t Token) error

	// AddToken adds a token, or returns ErrTaken if there is one with that name or hash.
	AddToken(ctx context.Context, t Token) error

	// Token returns the one with a hash, or ErrUnknown.
	Token(ctx context.Context, hash string) (Token, error)

	// SessionToken returns the token with a hash, or ErrUnknown if there is none or the session with
	// the given hash was ended.
	SessionToken(ctx context.Context, hash, session string) (Token, error)

	// EndSession ends a session, given by a hash, that would last until a time. It is idempotent, and
	// forgets the sessions that would be over by now.
	EndSession(ctx context.Context, session string, until, now time.Time) error

	// Tokens returns all, by name.
	Tokens(ctx context.Context) ([]Token, error)

	// RemoveToken makes the token with a name worthless, or returns ErrUnknown. The last one of an owner
	// stays, with ErrLast, however many are removed at once.
	RemoveToken(ctx context.Context, name string) error
}

// prefix makes tokens easy to recognise, for people and for programs that look for leaked ones.
const prefix = "bestpick_"

// New returns a new secret, to be shown once, and what is kept of it, with the time as finely as
// stores keep it.
func New(name string, role Role, now time.Time) (secret string, t Token) {
	secret = prefix + rand.Text()
	return secret, Token{Name: name, Role: role, Hash: Hash(secret), Created: now.UTC().Truncate(time.Microsecond)}
}

// Hash returns what is kept of a secret. It is long and random, so one round of SHA-256 is enough:
// nobody can try all of them. Looking a hash up by equality tells nothing of the secret by the time
// it takes.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(secret)))
	return hex.EncodeToString(sum[:])
}

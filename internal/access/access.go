// Package access manages the tokens of owners and viewers, and the audit log. A token is a long random
// text that is shown once. The store keeps only its hash, and the secret that signs sessions is outside the
// store, so that read access to the store does not give an owner's rights. Respondents need no token: they
// have the link of a study, or a personal one.
package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Role says which operations a token allows.
type Role string

// The roles.
const (
	Owner  Role = "owner"  // everything
	Viewer Role = "viewer" // reading results, but no changes, and no data about respondents
)

// May reports whether a role allows an operation that needs another role.
func (r Role) May(needed Role) bool { return r == Owner || r == needed }

// A Token is the stored part of a token, without its secret.
type Token struct {
	Name    string    `json:"name"` // of the holder
	Role    Role      `json:"role"`
	Hash    string    `json:"-"`
	Created time.Time `json:"created"`

	// Study restricts a viewer to one study. Defaults to all studies.
	Study string `json:"study,omitempty"`

	// Expires is the end of an invitation. It is zero for all other tokens.
	Expires time.Time `json:"expires,omitzero"`
}

// ID identifies a token. Two tokens of the same name have different IDs. It reveals nothing about the secret.
func (t Token) ID() string { return t.Hash[:min(len(t.Hash), 8)] }

// Sees reports whether the token allows its holder to see a study, as far as its role does.
func (t Token) Sees(study string) bool { return t.Study == "" || t.Study == study }

// Summary describes a new token for the audit log.
func (t Token) Summary() string {
	text := fmt.Sprintf("%q, %s", t.Name, t.Role)
	if t.Study != "" {
		text += " of one study"
	}
	if t.Invites() {
		text += ", by invitation"
	}
	return text
}

// Invites reports whether the token is an invitation that was not accepted yet.
func (t Token) Invites() bool { return !t.Expires.IsZero() }

// Expired reports whether the token is an invitation that can no longer be accepted.
func (t Token) Expired(now time.Time) bool { return t.Invites() && !now.Before(t.Expires) }

// Errors of a token store.
var (
	ErrUnknown = errors.New("access: unknown token")
	ErrTaken   = errors.New("access: a token exists already")
	ErrLast    = errors.New("access: this is the last token of an owner")
)

// Tokens stores tokens. Safe for concurrent use.
type Tokens interface {
	// AddFirstToken adds a token if the store has none, apart from an expired invitation of that name, which it
	// replaces, and returns ErrTaken otherwise. It is atomic, also among several processes that start at the same time.
	AddFirstToken(ctx context.Context, t Token) error

	// AddToken adds a token, or returns ErrTaken if there is one with that hash, or with a name that looks alike.
	AddToken(ctx context.Context, t Token) error

	// Accept turns an invitation, given by its hash, into a token with another hash and without an end. It
	// returns ErrUnknown if there is no such invitation, it was accepted before, or it has expired.
	Accept(ctx context.Context, invitation, hash string, now time.Time) (Token, error)

	// Token returns the token with a hash, or ErrUnknown. Invitations are unknown.
	Token(ctx context.Context, hash string) (Token, error)

	// SessionToken returns the token with a hash, or ErrUnknown if there is none or the session with
	// the given hash was ended.
	SessionToken(ctx context.Context, hash, session string) (Token, error)

	// EndSession ends a session, given by a hash, that would last until a time, or returns ErrUnknown if it was ended
	// before: of concurrent calls one succeeds. It forgets the sessions that would be over by now.
	EndSession(ctx context.Context, session string, until, now time.Time) error

	// Tokens returns all tokens and invitations, sorted by name.
	Tokens(ctx context.Context) ([]Token, error)

	// RemoveToken revokes the token or invitation with a name, or returns ErrUnknown. It returns ErrLast for the last
	// token of an owner, also under concurrent calls.
	RemoveToken(ctx context.Context, name string) error
}

// prefix makes tokens easy to recognise, for people and for programs that look for leaked ones.
const prefix = "bestpick_"

// New returns a new secret, to be shown once, and the token to store, with its time truncated to the
// precision of stores.
func New(name string, role Role, now time.Time) (secret string, t Token) {
	secret = prefix + rand.Text()
	return secret, Token{Name: name, Role: role, Hash: Hash(secret), Created: now.UTC().Truncate(time.Microsecond)}
}

// InvitedFor is how long an invitation can be accepted, and SetUpFor how long the first one, which is in the log.
const (
	InvitedFor = 7 * 24 * time.Hour
	SetUpFor   = time.Hour
)

// Invite returns the secret of a new invitation, to be sent as a link, and the token to store. study
// restricts a viewer to one study, unless it is empty.
func Invite(name string, role Role, study string, now time.Time) (secret string, t Token) {
	_, t = New(name, role, now)
	secret = strings.ToLower(rand.Text())
	t.Hash, t.Study, t.Expires = Hash(secret), study, t.Created.Add(InvitedFor)
	return secret, t
}

// Hash returns the hash of a secret. Secrets are long and random, so one round of SHA-256 resists
// guessing. The time of a lookup by hash reveals nothing about the secret.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(secret)))
	return hex.EncodeToString(sum[:])
}

// MaxName is the maximum number of characters of a name.
const MaxName = 100

// CheckName returns an error unless the name is valid for a new token. Lists and the audit log show names,
// so a name is one line of text, and must not be a token. The error is for users, and does not contain the name.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("a token needs a name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return errors.New("the name has invisible characters")
	case utf8.RuneCountInString(name) > MaxName:
		return fmt.Errorf("the name has more than %d characters", MaxName)
	case strings.HasPrefix(strings.TrimSpace(name), prefix):
		return errors.New("the name looks like a token")
	}
	return nil
}

// alike has letters and digits, each before the ones that look like it: of other alphabets, and without a decomposition.
const alike = "a\u0430\u03b1 b\u044c\u03b2 c\u0441\u03f2 d\u0501\u0111 e\u0435 h\u04bb\u0127 i1l|\u0131\u0456\u03b9\u04cf\u0142 j\u0458 k\u043a\u03ba " +
	"m\u043c m\u03bc n\u0578 o0\u043e\u03bf\u00f8 p\u0440\u03c1 q\u051b r\u0433 s\u0455 t\u0442\u03c4 u\u057d v\u03bd\u0475 w\u051d x\u0445\u03c7 y\u0443\u03b3"

// Look returns a text that is the same for names that people cannot tell apart: without case, accents, spaces, invisible
// letters and compatibility forms (NFKD), and with one letter for letters that look alike.
func Look(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Z, unicode.Other_Default_Ignorable_Code_Point) || r == '\u2800' {
			return -1
		}
		for group := range strings.FieldsSeq(alike) {
			if strings.ContainsRune(group, r) {
				first, _ := utf8.DecodeRuneInString(group)
				return first
			}
		}
		return r
	}, strings.ToLower(norm.NFKD.String(name)))
}

// Check returns an error unless every store can keep the token: its role is one of the two, and
// its name and hash are UTF-8 without zero bytes, neither empty nor very long.
func (t Token) Check() error {
	if t.Role != Owner && t.Role != Viewer {
		return fmt.Errorf("access: the role must be owner or viewer, got %q", t.Role)
	}
	if t.Study != "" && (t.Role != Viewer || !storable(t.Study)) {
		return fmt.Errorf("access: only a viewer can be restricted to a study, got %s of %.100q", t.Role, t.Study)
	}
	for _, text := range []string{t.Name, t.Hash} {
		if !storable(text) {
			return fmt.Errorf("access: a name or hash must be valid UTF-8 without zero bytes, 1 to 1000 bytes long, got %.100q", text)
		}
	}
	return nil
}

// CheckHash returns an error unless every store can keep the hash.
func CheckHash(hash string) error {
	if !storable(hash) {
		return fmt.Errorf("access: %.100q is not a hash", hash)
	}
	return nil
}

// storable reports whether a text is UTF-8 without zero bytes, neither empty nor very long.
func storable(text string) bool {
	const longest = 1000 // bytes: indexes have bounds
	return text != "" && len(text) <= longest && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// Pseudonym names a study in logs, metrics and traces: the id lets anyone answer, so it must not appear
// there. It is a short hash of the id. An empty id has an empty one.
func Pseudonym(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:4])
}

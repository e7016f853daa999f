package dispatch

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"bestpick/internal/study"
)

// A Ticket is the content of a token: a question that a respondent was asked. The token is signed,
// so it cannot be forged, and the store need not keep open questions.
type Ticket struct {
	Study      study.Study // the token only has its id
	Position   study.Position
	Plan       int
	Shown      []int // arms, in the order on the screen
	Respondent string
	Segment    string
	Key        string // the hash of a panel member's key
	Asked      time.Time
}

// OpenTicket verifies a token of a study, and returns its ticket with the current study. It returns
// an error unless the respondent may answer: a former member of the panel, or a member whose key
// was replaced, may not.
func (s *Dispatcher) OpenTicket(ctx context.Context, id, token string) (Ticket, error) {
	st, err := s.Live.CachedStudy(ctx, id)
	if err != nil {
		return Ticket{}, err
	}
	t, err := open(token, s.MAC)
	if err == nil && t.Study.ID != id {
		err = study.ErrToken
	}
	if err != nil {
		return Ticket{}, err
	}
	t.Study = st
	switch {
	case t.Key != "":
		_, err = s.Live.Member(ctx, st, t.Key)
	case st.Panel:
		err = study.ErrPanel
	}
	return t, err
}

// Picks returns the number of arms to pick.
func (t Ticket) Picks() int { return min(t.Study.Settings.Picks, len(t.Shown)-1) }

// sign returns the token of a ticket: its text and MAC, encoded as letters.
func (t Ticket) sign(sum MAC) string {
	text := t.text()
	return base64.RawURLEncoding.EncodeToString(append(sum(text), text...))
}

// open returns the ticket of a token, if its MAC is valid.
func open(token string, sum MAC) (Ticket, error) {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(data) <= sha256.Size || !hmac.Equal(data[:sha256.Size], sum(data[sha256.Size:])) {
		return Ticket{}, study.ErrToken
	}
	t, ok := readTicket(data[sha256.Size:])
	if !ok {
		return Ticket{}, study.ErrToken
	}
	return t, nil
}

// A MAC computes the message authentication code of a text.
type MAC func(text []byte) []byte

// NewMAC returns HMAC-SHA-256 with a secret.
func NewMAC(secret []byte) MAC {
	return func(text []byte) []byte {
		hash := hmac.New(sha256.New, secret)
		hash.Write(text)
		return hash.Sum(nil)
	}
}

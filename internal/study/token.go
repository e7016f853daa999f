package study

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// A ticket is what a token says: which question somebody was asked, in which order its arms were
// shown, and when. It is signed, so nobody can make one up, and nothing needs to be kept of
// questions that are out.
type ticket struct {
	Study      string
	Position   Position
	Plan       int
	Shown      []int
	Respondent string
	Segment    string
	Key        string // the hash of the one that a member of a panel has asked with
	Asked      time.Time
}

// sign returns the token of a ticket: an HMAC of what it says and that, in letters.
func (t ticket) sign(secret []byte) string {
	text := t.text()
	return base64.RawURLEncoding.EncodeToString(append(seal(secret, text), text...))
}

// open returns the ticket of a token, if it was signed with the secret.
func open(token string, secret []byte) (ticket, error) {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(data) <= sha256.Size || !hmac.Equal(data[:sha256.Size], seal(secret, data[sha256.Size:])) {
		return ticket{}, ErrToken
	}
	t, ok := readTicket(data[sha256.Size:])
	if !ok {
		return ticket{}, ErrToken
	}
	return t, nil
}

func seal(secret, text []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(text)
	return mac.Sum(nil)
}

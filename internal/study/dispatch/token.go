package dispatch

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"bestpick/internal/study"
)

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

package study

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"
)

// ErrToken is for tokens that were not given out here, or were changed.
var ErrToken = errors.New("study: the token is not one of a question")

// A ticket is what a token says: which question somebody was asked, in which order its arms were
// shown, and when. It is signed, so nobody can make one up, and nothing needs to be kept of
// questions that are out.
type ticket struct {
	Study      string    `json:"s"`
	Position   Position  `json:"p"`
	Plan       int       `json:"n"`
	Shown      []int     `json:"a"`
	Respondent string    `json:"r"`
	Segment    string    `json:"g,omitempty"`
	Done       int       `json:"d,omitempty"` // questions that the respondent has answered or skipped before
	Asked      time.Time `json:"t"`
}

// sign returns the token of a ticket: what it says and an HMAC of that, in letters.
func (t ticket) sign(secret []byte) string {
	text, err := json.Marshal(t)
	if err != nil {
		panic("study: " + err.Error())
	}
	return base64.RawURLEncoding.EncodeToString(append(seal(secret, text), text...))
}

// open returns the ticket of a token, if it was signed with the secret.
func open(token string, secret []byte) (ticket, error) {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(data) <= sha256.Size || !hmac.Equal(data[:sha256.Size], seal(secret, data[sha256.Size:])) {
		return ticket{}, ErrToken
	}
	var t ticket
	if json.Unmarshal(data[sha256.Size:], &t) != nil {
		return ticket{}, ErrToken
	}
	return t, nil
}

func seal(secret, text []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(text)
	return mac.Sum(nil)
}

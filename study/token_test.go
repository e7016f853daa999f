package study

import (
	"encoding/base64"
	"errors"
	"reflect"
	"testing"
	"time"
)

// TestToken: a token says what was signed, and none that differs in a bit, or was signed with another
// secret, says anything.
func TestToken(t *testing.T) {
	secret := []byte("a secret of some length, as stores have them")
	want := ticket{
		Study: "lamps", Position: 7, Plan: 3, Shown: []int{4, 0, 2}, Respondent: "Zoë", Segment: "north",
		Asked: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC),
	}
	token := want.sign(secret)
	got, err := open(token, secret)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := open(token, []byte("another")); !errors.Is(err, ErrToken) {
		t.Errorf("with another secret: %v", err)
	}
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(data) {
		data[bit/8] ^= 1 << (bit % 8)
		if _, err := open(base64.RawURLEncoding.EncodeToString(data), secret); !errors.Is(err, ErrToken) {
			t.Errorf("bit %d was changed: %v", bit, err)
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
	for length := range len(token) {
		if _, err := open(token[:length], secret); !errors.Is(err, ErrToken) {
			t.Errorf("cut to %d letters: %v", length, err)
		}
	}
	unreadable := append(seal(secret, []byte("{")), '{')
	if _, err := open(base64.RawURLEncoding.EncodeToString(unreadable), secret); !errors.Is(err, ErrToken) {
		t.Errorf("signed, but no ticket: %v", err)
	}
}

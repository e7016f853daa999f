package dispatch

import (
	"encoding/base64"
	"errors"
	"reflect"
	"testing"
	"time"

	"bestpick/internal/study"
)

// TestToken: a token returns its signed ticket. A token with a changed bit, or signed with another
// secret, is rejected.
func TestToken(t *testing.T) {
	secret := NewMAC([]byte("a secret of some length, as stores have them"))
	want := Ticket{
		Study: study.Study{ID: "lamps"}, Position: 7, Plan: 3, Shown: []int{4, 0, 2}, Respondent: "Zoë", Segment: "north",
		Asked: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC),
	}
	token := want.sign(secret)
	got, err := open(token, secret)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if again, err := open(token, NewMAC([]byte("another")), secret); err != nil || again.Position != want.Position {
		t.Errorf("with both secrets of a rotation: %+v, %v", again, err)
	}
	if _, err := open(token, NewMAC([]byte("another"))); !errors.Is(err, study.ErrToken) {
		t.Errorf("with another secret: %v", err)
	}
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(data) {
		data[bit/8] ^= 1 << (bit % 8)
		if _, err := open(base64.RawURLEncoding.EncodeToString(data), secret); !errors.Is(err, study.ErrToken) {
			t.Errorf("bit %d was changed: %v", bit, err)
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
	for length := range len(token) {
		if _, err := open(token[:length], secret); !errors.Is(err, study.ErrToken) {
			t.Errorf("cut to %d letters: %v", length, err)
		}
	}
	for name, text := range map[string][]byte{
		"nothing": {}, "another form": append([]byte{ticketForm + 1}, want.text()[1:]...), "more": append(want.text(), 0),
		"a huge length": {ticketForm, 0xfe, 0xff, 0x7f},
	} {
		signed := base64.RawURLEncoding.EncodeToString(append(secret(text), text...))
		if _, err := open(signed, secret); !errors.Is(err, study.ErrToken) {
			t.Errorf("a signed text that is no ticket: %s: %v", name, err)
		}
	}
	for length := range len(want.text()) {
		if got, ok := readTicket(want.text()[:length]); ok {
			t.Errorf("cut to %d bytes: got %+v", length, got)
		}
	}
}

// FuzzTicket: a text that can be read as a ticket is written as it was read, and nothing panics.
func FuzzTicket(f *testing.F) {
	f.Add([]byte{})
	f.Add(Ticket{Study: study.Study{ID: "lamps"}, Shown: []int{1, 2}}.text())
	f.Fuzz(func(t *testing.T, text []byte) {
		read, ok := readTicket(text)
		if !ok {
			return
		}
		again, ok := readTicket(read.text())
		if !ok || !reflect.DeepEqual(again, read) {
			t.Errorf("%+v became %+v", read, again)
		}
	})
}

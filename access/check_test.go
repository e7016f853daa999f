package access_test

import (
	"strings"
	"testing"
	"time"

	"bestpick/access"
)

func TestCheck(t *testing.T) {
	_, good := access.New("Zoë", access.Viewer, time.Unix(0, 0))
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*access.Token){
		`access: "king" is no role`:                                                  func(t *access.Token) { t.Role = "king" },
		`access: "" does not do as a name or a hash`:                                 func(t *access.Token) { t.Name = "" },
		`access: "\xff" does not do as a name or a hash`:                             func(t *access.Token) { t.Name = "\xff" },
		`access: "a\x00" does not do as a name or a hash`:                            func(t *access.Token) { t.Hash = "a\x00" },
		`access: "` + strings.Repeat("x", 100) + `" does not do as a name or a hash`: func(t *access.Token) { t.Name = strings.Repeat("x", 5000) },
	} {
		bad := good
		spoil(&bad)
		if err := bad.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestCheckEntry(t *testing.T) {
	good := access.Entry{At: time.Unix(0, 0), By: "Zoë", Operation: "open-study", Study: "a", Detail: "“x”\n"}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*access.Entry){
		`access: an entry says what was done, and when`:                                func(e *access.Entry) { e.At = time.Time{} },
		`access: "\xff" does not do as a part of an entry`:                             func(e *access.Entry) { e.By = "\xff" },
		`access: "a\x00" does not do as a part of an entry`:                            func(e *access.Entry) { e.Detail = "a\x00" },
		`access: "` + strings.Repeat("x", 100) + `" does not do as a part of an entry`: func(e *access.Entry) { e.Study = strings.Repeat("x", 50_000) },
	} {
		bad := good
		spoil(&bad)
		if err := bad.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

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

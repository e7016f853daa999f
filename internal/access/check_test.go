package access_test

import (
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
)

func TestCheck(t *testing.T) {
	_, good := access.New("Zoë", access.Viewer, time.Unix(0, 0))
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*access.Token){
		`access: the role must be owner or viewer, got "king"`:                                                                        func(t *access.Token) { t.Role = "king" },
		`access: a name or hash must be valid UTF-8 without zero bytes, 1 to 1000 bytes long, got ""`:                                 func(t *access.Token) { t.Name = "" },
		`access: a name or hash must be valid UTF-8 without zero bytes, 1 to 1000 bytes long, got "\xff"`:                             func(t *access.Token) { t.Name = "\xff" },
		`access: a name or hash must be valid UTF-8 without zero bytes, 1 to 1000 bytes long, got "a\x00"`:                            func(t *access.Token) { t.Hash = "a\x00" },
		`access: a name or hash must be valid UTF-8 without zero bytes, 1 to 1000 bytes long, got "` + strings.Repeat("x", 100) + `"`: func(t *access.Token) { t.Name = strings.Repeat("x", 5000) },
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
		`access: an entry needs an operation and a time`:                                                                                      func(e *access.Entry) { e.At = time.Time{} },
		`access: a part of an entry must be valid UTF-8 without zero bytes, at most 10000 bytes long, got "\xff"`:                             func(e *access.Entry) { e.By = "\xff" },
		`access: a part of an entry must be valid UTF-8 without zero bytes, at most 10000 bytes long, got "a\x00"`:                            func(e *access.Entry) { e.Detail = "a\x00" },
		`access: a part of an entry must be valid UTF-8 without zero bytes, at most 10000 bytes long, got "` + strings.Repeat("x", 100) + `"`: func(e *access.Entry) { e.Study = strings.Repeat("x", 50_000) },
	} {
		bad := good
		spoil(&bad)
		if err := bad.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

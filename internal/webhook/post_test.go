package webhook

import (
	"errors"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"bestpick/internal/middleware"
	"bestpick/wire"
)

// TestOnlyWhereAllowed: the sender does not use plain HTTP once the server no longer allows it, and
// never a proxy, which could reach private networks.
func TestOnlyWhereAllowed(t *testing.T) {
	s := NewSender(Options{Clock: time.Now})
	s.client = &http.Client{Transport: unreached{t}}
	if _, err := s.send(t.Context(), Hook{URL: "http://example.com/hook"}, wire.Notice{}); !errors.Is(err, middleware.ErrNotPublic) {
		t.Errorf("by plain HTTP: %v", err)
	}
	for _, private := range []bool{false, true} {
		if transport, is := middleware.NewClient(private).Transport.(*http.Transport); !is || transport.Proxy != nil {
			t.Error("a proxy is asked")
		}
	}
}

// unreached is a transport that fails the test if a request is sent.
type unreached struct{ *testing.T }

func (u unreached) RoundTrip(r *http.Request) (*http.Response, error) {
	u.Errorf("a request was sent to %s", r.URL)
	return nil, errors.New("unreachable")
}

// TestPublicInDisguise: special networks are recognised with a zone, and as IPv4-mapped addresses.
func TestPublicInDisguise(t *testing.T) {
	for _, text := range []string{
		"::ffff:100.64.0.1", "::ffff:168.63.129.16", "::ffff:198.18.0.1", "2002:7f00:1::%eth0",
		"fec0::1%1",
	} {
		if middleware.Public(netip.MustParseAddr(text)) {
			t.Errorf("%s is public", text)
		}
	}
}

// Constants that the tests use.
const (
	Soon   = soon
	GiveUp = giveUp
)

// Hurry sets the timeout of an attempt.
func (s *Sender) Hurry(patience time.Duration) { s.patience = patience }

// Public exports public.
func Public(address netip.Addr) bool { return middleware.Public(address) }

package webhook

import (
	"errors"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"bestpick/internal/outbound"
)

// TestOnlyWhereAllowed: what was allowed when it was set is not told in plain text where that is not allowed any more,
// and nothing goes through a proxy, which could go where this may not.
func TestOnlyWhereAllowed(t *testing.T) {
	s := NewSender(Options{Clock: time.Now})
	s.client = &http.Client{Transport: unreached{t}}
	if _, err := s.post(t.Context(), Hook{URL: "http://example.com/hook"}, nil); !errors.Is(err, outbound.ErrNotPublic) {
		t.Errorf("by plain HTTP: %v", err)
	}
	for _, private := range []bool{false, true} {
		if transport, is := outbound.NewClient(private).Transport.(*http.Transport); !is || transport.Proxy != nil {
			t.Error("a proxy is asked")
		}
	}
}

// unreached is a network on which nothing must be sent.
type unreached struct{ *testing.T }

func (u unreached) RoundTrip(r *http.Request) (*http.Response, error) {
	u.Errorf("%s was told", r.URL)
	return nil, errors.New("nobody is there")
}

// TestPublicInDisguise: networks that are not the internet's are known with a zone, and written as IPv6.
func TestPublicInDisguise(t *testing.T) {
	for _, text := range []string{"::ffff:100.64.0.1", "::ffff:168.63.129.16", "::ffff:198.18.0.1", "2002:7f00:1::%eth0", "fec0::1%1"} {
		if outbound.Public(netip.MustParseAddr(text)) {
			t.Errorf("%s is public", text)
		}
	}
}

package middleware

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// plainLimiter never forgets.
type plainLimiter struct {
	rate, burst float64
	tokens      map[string]float64
	at          map[string]time.Time
}

func (p *plainLimiter) allow(key string, now time.Time) bool {
	if _, known := p.at[key]; !known {
		p.tokens[key], p.at[key] = p.burst, now
	}
	p.tokens[key] = min(p.burst, p.tokens[key]+p.rate*now.Sub(p.at[key]).Seconds())
	p.at[key] = now
	if p.tokens[key] < 1 {
		return false
	}
	p.tokens[key]--
	return true
}

// TestLimiterForgetsNothingThatMatters: it allows the same as a limiter that never evicts, and a client that
// waits for the time returned is allowed.
func TestLimiterForgetsNothingThatMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate, burst := rapid.SampledFrom([]float64{0.5, 1, 8}).Draw(t, "rate"), rapid.IntRange(1, 5).Draw(t, "burst")
		l := NewLimiter(rate, burst)
		plain := &plainLimiter{rate, float64(burst), map[string]float64{}, map[string]time.Time{}}
		now := time.Unix(1000, 0)
		for range rapid.IntRange(1, 200).Draw(t, "calls") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 125, 500, 4000}).Draw(t, "ms")) * time.Millisecond)
			key := strconv.Itoa(rapid.IntRange(0, 3).Draw(t, "key"))
			ok, wait := l.Allow(key, now)
			if want := plain.allow(key, now); ok != want {
				t.Fatalf("%v at %v, want %v", ok, now, want)
			}
			if !ok {
				now = now.Add(wait)
				if again, _ := l.Allow(key, now); !again || !plain.allow(key, now) {
					t.Fatalf("refused after waiting for %v", wait)
				}
			}
		}
	})
}

// TestLimiterForgets: idle keys are evicted.
func TestLimiterForgets(t *testing.T) {
	l := NewLimiter(1, 2)
	now := time.Unix(1000, 0)
	for i := range 10_000 {
		now = now.Add(10 * time.Millisecond)
		l.Allow(strconv.Itoa(i), now)
	}
	if kept := len(l.young) + len(l.old); kept > 500 { // two generations of two seconds, 100 a second
		t.Errorf("%d are remembered", kept)
	}
	if ok, _ := NewLimiter(0, 0).Allow("", now); !ok {
		t.Error("without a rate something is refused")
	}
}

// TestLimiterForgetsAKey: Forget drops a key of either generation.
func TestLimiterForgetsAKey(t *testing.T) {
	l, now := NewLimiter(0.5, 1), time.Unix(1000, 0)
	l.Allow("a", now)
	now = now.Add(3 * time.Second) // a new generation
	l.Allow("a", now)
	l.Allow("b", now)
	if ok, _ := l.Allow("a", now); ok || len(l.young) != 2 || len(l.old) != 1 {
		t.Fatalf("%v, %v", l.young, l.old)
	}
	l.Forget("a")
	if ok, _ := l.Allow("a", now); !ok || len(l.young) != 2 || len(l.old) > 0 {
		t.Errorf("%v, %v", l.young, l.old)
	}
	(*Limiter)(nil).Forget("a")
}

// TestLimiterAfterTheClockWasSetBack: limits and eviction still work.
func TestLimiterAfterTheClockWasSetBack(t *testing.T) {
	l := NewLimiter(1, 2)
	now := time.Unix(1e6, 0)
	l.Allow("anna", now)
	now = now.Add(-24 * time.Hour)
	for i := range 3 {
		if ok, _ := l.Allow("anna", now); ok != (i < 1) {
			t.Errorf("call %d is allowed: %v", i, ok)
		}
	}
	for i := range 100 {
		now = now.Add(time.Second)
		if ok, _ := l.Allow(strconv.Itoa(i), now); !ok {
			t.Errorf("%d is refused", i)
		}
	}
	if kept := len(l.young) + len(l.old); kept > 10 {
		t.Errorf("%d are remembered", kept)
	}
}

// TestQuota: the headers say what is left of a burst, and reading them takes nothing.
func TestQuota(t *testing.T) {
	l, now := NewLimiter(5, 50), time.Unix(1000, 0)
	for _, step := range []struct {
		take int
		wait time.Duration
		want string
	}{
		{0, 0, `"respondent";r=50;t=0`},
		{1, 0, `"respondent";r=49;t=1`},
		{9, 0, `"respondent";r=40;t=2`},
		{40, 0, `"respondent";r=0;t=10`},
		{5, 0, `"respondent";r=0;t=10`},
		{0, 2 * time.Second, `"respondent";r=10;t=8`},
		{0, time.Minute, `"respondent";r=50;t=0`},
	} {
		now = now.Add(step.wait)
		for range step.take {
			l.Allow("anna", now)
		}
		for range 2 {
			if got := l.Quota("respondent", "anna", now); got.Get("Ratelimit") != step.want ||
				got.Get("Ratelimit-Policy") != `"respondent";q=50;w=10` {
				t.Errorf("after %d more: %v, want %s", step.take, got, step.want)
			}
		}
	}
	for _, unlimited := range []*Limiter{nil, NewLimiter(0, 0)} {
		if got := unlimited.Quota("respondent", "anna", now); got != nil {
			t.Errorf("without a limit: %v", got)
		}
	}
}

// addressed is a connection from an address.
type addressed struct {
	net.Conn

	from   string
	closed bool
}

func (a *addressed) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(a.from))
}

func (a *addressed) Close() error {
	a.closed = true
	return nil
}

// TestLimitConnections: an address has a limit of open connections, which its neighbours in IPv6 share. Closed
// connections do not count, and neither trusted proxies nor this machine have a limit.
func TestLimitConnections(t *testing.T) {
	for name, test := range map[string]struct {
		from   []string
		closed int // of the first ones, before the next is accepted
		want   int
	}{
		"one address":   {[]string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "192.0.2.1:4"}, 0, 2},
		"two addresses": {[]string{"192.0.2.1:1", "192.0.2.2:2", "192.0.2.1:3", "192.0.2.2:4"}, 0, 4},
		"neighbours":    {[]string{"[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8::3]:1"}, 0, 2},
		"a proxy":       {[]string{"10.0.0.1:1", "10.0.0.1:2", "10.0.0.1:3"}, 0, 3},
		"this machine":  {[]string{"127.0.0.1:1", "127.0.0.1:2", "[::ffff:127.0.0.1]:3"}, 0, 3},
		"closed":        {[]string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "192.0.2.1:4"}, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			hook := LimitConnections(2, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
			accepted := 0
			for _, from := range test.from {
				connection := &addressed{from: from}
				hook(connection, http.StateNew)
				if !connection.closed {
					accepted++
				}
				if connection.closed || accepted <= test.closed {
					hook(connection, http.StateClosed)
				}
			}
			if accepted != test.want {
				t.Errorf("%d connections are accepted, want %d", accepted, test.want)
			}
		})
	}
}

package middleware

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// A Limiter is a rate limiter with one token bucket per key. Safe for concurrent use.
//
// Keys expire, in two generations, when they are idle for as long as an empty bucket takes to fill, so memory is
// bounded by the number of active keys.
type Limiter struct {
	rate  float64 // per second
	burst float64

	mutex      sync.Mutex
	began      time.Time // of the younger generation
	young, old map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// NewLimiter returns a limiter. A rate of 0 disables it.
func NewLimiter(rate float64, burst int) *Limiter {
	return &Limiter{rate: rate, burst: float64(burst), young: map[string]bucket{}}
}

// Forget resets a key.
func (l *Limiter) Forget(key string) {
	if l == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.young, key)
	delete(l.old, key)
}

// Allow takes a token of a key. If there is none, it returns the time until the next.
func (l *Limiter) Allow(key string, now time.Time) (ok bool, wait time.Duration) {
	if l == nil || l.rate <= 0 {
		return true, 0
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	full := time.Duration(l.burst / l.rate * float64(time.Second))
	if age := now.Sub(l.began); age > full || age < 0 { // or the clock was set back
		l.began, l.young, l.old = now, map[string]bucket{}, l.young
	}
	tokens := l.tokens(key, now)
	if ok = tokens >= 1; ok {
		tokens--
	} else {
		wait = time.Duration(math.Ceil((1 - tokens) / l.rate * float64(time.Second)))
	}
	l.young[key] = bucket{tokens, now}
	return ok, wait
}

// Limit applies a rate limit per client address, reports it in the headers of replies, and calls refuse for requests that exceed
// it. Loopback addresses are not limited: they may belong to a local proxy that is not configured as trusted.
func Limit(
	l *Limiter, clock func() time.Time, refuse func(w http.ResponseWriter, r *http.Request, wait time.Duration),
) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			from := AddressOf(r.Context())
			if from.IsLoopback() {
				next.ServeHTTP(w, r)
				return
			}
			now := clock()
			ok, wait := l.Allow(network(from), now)
			addHeaders(w, l.Quota("address", network(from), now))
			if !ok {
				refuse(w, r, wait)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// LimitConnections returns a hook for [http.Server.ConnState] that closes connections above a number per client address.
// Trusted proxies and loopback addresses are not limited: they stand for many clients.
func LimitConnections(most int, trusted []netip.Prefix) func(net.Conn, http.ConnState) {
	var mutex sync.Mutex
	open := map[string]int{}
	return func(connection net.Conn, state http.ConnState) {
		from, err := netip.ParseAddrPort(connection.RemoteAddr().String())
		address := from.Addr().Unmap()
		if err != nil || address.IsLoopback() || contains(trusted, address) {
			return
		}
		mutex.Lock()
		defer mutex.Unlock()
		key := network(address)
		switch state {
		case http.StateNew:
			if open[key]++; open[key] > most {
				_ = connection.Close() // the server reports the state when it notices
			}
		case http.StateClosed, http.StateHijacked:
			if open[key]--; open[key] <= 0 {
				delete(open, key)
			}
		case http.StateActive, http.StateIdle:
		}
	}
}

// network returns the key of the rate limit: the IPv4 address, or the /64 prefix of an IPv6 address.
func network(a netip.Addr) string {
	if a.Is6() {
		if prefix, err := a.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return a.String()
}

// Quota returns the headers RateLimit and RateLimit-Policy for a key, as in the IETF draft "RateLimit
// header fields for HTTP": the policy is a burst per time that a bucket takes to fill, and the quota is
// what is left of it. It returns nil if there is no limit.
func (l *Limiter) Quota(policy, key string, now time.Time) http.Header {
	if l == nil || l.rate <= 0 {
		return nil
	}
	l.mutex.Lock()
	left := l.tokens(key, now)
	l.mutex.Unlock()
	seconds := func(tokens float64) int { return int(math.Ceil(tokens / l.rate)) }
	return http.Header{
		"Ratelimit-Policy": {fmt.Sprintf("%q;q=%d;w=%d", policy, int(l.burst), seconds(l.burst))},
		"Ratelimit":        {fmt.Sprintf("%q;r=%d;t=%d", policy, int(left), seconds(l.burst-left))},
	}
}

// tokens returns the tokens of a key, without taking one. The caller must hold the mutex.
func (l *Limiter) tokens(key string, now time.Time) float64 {
	b, known := l.young[key]
	if !known {
		b, known = l.old[key]
	}
	if !known {
		return l.burst
	}
	return min(l.burst, b.tokens+l.rate*max(0, now.Sub(b.at).Seconds()))
}

// addHeaders adds headers to a reply.
func addHeaders(w http.ResponseWriter, more http.Header) {
	for name, values := range more {
		for _, value := range values {
			w.Header().Add(name, value)
		}
	}
}

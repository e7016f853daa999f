package middleware

import (
	"fmt"
	"math"
	"net/http"
	"time"
)

// Quota returns the headers RateLimit and RateLimit-Policy for a key, as in the IETF draft "RateLimit
// header fields for HTTP": the policy is a burst per time that a bucket takes to fill, and the quota is
// what is left of it. It returns nil if there is no limit.
func (l *Limiter) Quota(policy, key string, now time.Time) http.Header {
	if l == nil || l.rate <= 0 {
		return nil
	}
	left := l.tokens(key, now)
	seconds := func(tokens float64) int { return int(math.Ceil(tokens / l.rate)) }
	return http.Header{
		"Ratelimit-Policy": {fmt.Sprintf("%q;q=%d;w=%d", policy, int(l.burst), seconds(l.burst))},
		"Ratelimit":        {fmt.Sprintf("%q;r=%d;t=%d", policy, int(left), seconds(l.burst-left))},
	}
}

// tokens returns the tokens of a key, without taking one.
func (l *Limiter) tokens(key string, now time.Time) float64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
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

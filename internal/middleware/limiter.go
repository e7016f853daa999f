package middleware

import (
	"math"
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
	b, known := l.young[key]
	if !known {
		b, known = l.old[key]
	}
	if !known {
		b = bucket{l.burst, now}
	}
	b.tokens = min(l.burst, b.tokens+l.rate*max(0, now.Sub(b.at).Seconds()))
	b.at = now
	if b.tokens >= 1 {
		b.tokens--
		l.young[key] = b
		return true, 0
	}
	l.young[key] = b
	return false, time.Duration(math.Ceil((1 - b.tokens) / l.rate * float64(time.Second)))
}

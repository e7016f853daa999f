package guard

import (
	"math"
	"sync"
	"time"
)

// A Limiter is a token-bucket rate limiter with one bucket per key. Safe for concurrent use.
//
// It evicts idle keys in two generations: a key is dropped once its bucket must be full again. Memory is
// proportional to the number of active keys.
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

// NewLimiter returns a limiter with a rate per second and a burst. A rate of 0 disables it.
func NewLimiter(rate float64, burst int) *Limiter {
	return &Limiter{rate: rate, burst: float64(burst), young: map[string]bucket{}}
}

// Forget drops a key.
func (l *Limiter) Forget(key string) {
	if l == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.young, key)
	delete(l.old, key)
}

// Allow takes a token from the bucket of a key. If the bucket is empty, it returns the time until the next
// token.
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

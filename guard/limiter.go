package guard

import (
	"math"
	"sync"
	"time"
)

// A Limiter lets everybody do something at a rate, and a burst of it at once: each key has a bucket of
// tokens that fills up steadily.
//
// It forgets whoever has not come for as long as an empty bucket takes to fill, in two generations, so
// its memory follows how many come, not how many ever came.
type Limiter struct {
	rate  float64 // a second
	burst float64

	mutex      sync.Mutex
	began      time.Time // of the younger generation
	young, old map[string]bucket
}

type bucket struct {
	tokens float64
	at     time.Time
}

// NewLimiter returns a limiter. A rate of 0 lets everything through.
func NewLimiter(rate float64, burst int) *Limiter {
	return &Limiter{rate: rate, burst: float64(burst), young: map[string]bucket{}}
}

// Forget forgets a key at once.
func (l *Limiter) Forget(key string) {
	if l == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.young, key)
	delete(l.old, key)
}

// Allow reports whether somebody may do it once more and, if not, how long to wait until then.
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

package load

import (
	"math"
	"slices"
	"sync"
	"time"
)

// growth is how much wider one bucket of a histogram is than the one before: what is said of a
// latency is right within so much.
const growth = 1.05

// A histogram counts latencies in buckets that grow, so that it takes little memory however many there
// are.
type histogram struct {
	mutex  sync.Mutex
	counts []int // latencies up to growth^i microseconds
	total  int
	max    time.Duration
}

// add counts a latency.
func (h *histogram) add(d time.Duration) {
	bucket := 0
	if micro := float64(d) / float64(time.Microsecond); micro > 1 {
		bucket = int(math.Ceil(math.Log(micro) / math.Log(growth)))
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if bucket >= len(h.counts) {
		h.counts = slices.Grow(h.counts, bucket+1-len(h.counts))[:bucket+1]
	}
	h.counts[bucket]++
	h.total++
	h.max = max(h.max, d)
}

// A Latency is how long requests took, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50_ms"`
	P90 float64 `json:"p90_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

// latency summarises the histogram.
func (h *histogram) latency() Latency {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	most := float64(h.max) / float64(time.Millisecond)
	return Latency{min(h.quantile(0.5), most), min(h.quantile(0.9), most), min(h.quantile(0.99), most), most}
}

// quantile returns the upper end of the bucket that a quantile is in, in milliseconds.
func (h *histogram) quantile(q float64) float64 {
	below := 0
	for bucket, count := range h.counts {
		below += count
		if float64(below) >= q*float64(h.total) {
			return math.Pow(growth, float64(bucket)) / 1000
		}
	}
	return 0
}

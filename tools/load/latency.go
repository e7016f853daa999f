package main

import (
	"math"
	"slices"
	"sync"
	"time"
)

// growth is the ratio of the widths of neighbouring buckets, and so the relative error of a quantile.
const growth = 1.05

// A histogram counts latencies in buckets of growing width, in bounded memory.
type histogram struct {
	mutex  sync.Mutex
	counts []int // latencies up to growth^i microseconds
	total  int
	max    time.Duration
}

// add counts a latency.
func (h *histogram) add(d time.Duration) {
	at := bucket(float64(d) / float64(time.Microsecond))
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if at >= len(h.counts) {
		h.counts = slices.Grow(h.counts, at+1-len(h.counts))[:at+1]
	}
	h.counts[at]++
	h.total++
	h.max = max(h.max, d)
}

// bucket returns the index of the bucket of a latency.
func bucket(microseconds float64) int {
	if microseconds <= 1 {
		return 0
	}
	return int(math.Ceil(math.Log(microseconds) / math.Log(growth)))
}

// A Latency summarises the latencies of requests, in milliseconds.
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
	return Latency{P50: min(h.quantile(0.5), most), P90: min(h.quantile(0.9), most), P99: min(h.quantile(0.99), most), Max: most}
}

// quantile returns the upper end of the bucket of a quantile, in milliseconds.
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

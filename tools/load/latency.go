package main

import (
	"slices"
	"sync"
	"time"
)

// latencies collects those of requests.
type latencies struct {
	mutex sync.Mutex
	all   []time.Duration
}

// add adds a latency.
func (l *latencies) add(d time.Duration) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.all = append(l.all, d)
}

// A Latency summarises the latencies of requests, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50_ms"`
	P90 float64 `json:"p90_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

// summary returns quantiles, zero without any latencies.
func (l *latencies) summary() Latency {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	slices.Sort(l.all)
	quantile := func(percent int) float64 {
		if len(l.all) == 0 {
			return 0
		}
		return float64(l.all[(len(l.all)*percent+99)/100-1]) / float64(time.Millisecond)
	}
	return Latency{P50: quantile(50), P90: quantile(90), P99: quantile(99), Max: quantile(100)}
}

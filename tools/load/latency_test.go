package main

import (
	"testing"
	"time"
)

func TestLatencies(t *testing.T) {
	var l latencies
	if got := l.summary(); got != (Latency{}) {
		t.Errorf("without any: %+v", got)
	}
	for i := range 200 {
		l.add(time.Duration(200-i) * time.Millisecond)
	}
	if got, want := l.summary(), (Latency{P50: 100, P90: 180, P99: 198, Max: 200}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

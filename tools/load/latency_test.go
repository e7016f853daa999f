package main

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"bestpick/internal/approx"
)

// TestQuantiles: quantiles are correct to one bucket.
func TestQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var h histogram
	var all []float64
	for range 10_000 {
		d := time.Duration(rng.ExpFloat64() * rng.ExpFloat64() * float64(20*time.Millisecond))
		h.add(d)
		all = append(all, float64(d)/float64(time.Millisecond))
	}
	slices.Sort(all)
	got := h.latency()
	for _, q := range []struct {
		name string
		got  float64
		at   int
	}{{"p50", got.P50, 4999}, {"p90", got.P90, 8999}, {"p99", got.P99, 9899}, {"max", got.Max, 9999}} {
		// A bucket is 5% wide, and its upper end is reported.
		approx.EqualRelative(t, q.name, q.got, all[q.at]*1.025, 0.027)
	}
}

func TestNoLatencies(t *testing.T) {
	var h histogram
	for range 2 {
		if got := h.latency(); got.Max != 0 || got.P50 != 0 || got.P99 != 0 {
			t.Errorf("%+v", got)
		}
		h.add(0)
	}
}

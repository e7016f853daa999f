package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{
		0: 200, 10 << 20: 200, 16 << 20: 120, 32 << 20: 60, 100 << 20: 20, 200 << 20: 10,
		4 << 30: 10,
	} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d MB: got %d%%, want %d%%", live>>20, got, want)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	for live, want := range map[uint64]uint64{0: 64, 20: 96, 175: 240, 256: 320, 1024: 1280} {
		if got := memoryLimit(live<<20) >> 20; got != want {
			t.Errorf("%d MB: got %d MB, want %d MB", live, got, want)
		}
	}
}

// TestBoundGarbage: the percentage follows the live heap, up and down, over many collections.
func TestBoundGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetGCPercent(maxGarbagePercent)
	defer debug.SetGCPercent(before)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	boundGarbage()
	percent := func() int { now := debug.SetGCPercent(maxGarbagePercent); debug.SetGCPercent(now); return now }
	follows := func(low bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); (percent() < 50) != low; time.Sleep(time.Millisecond) {
			if runtime.GC(); time.Now().After(deadline) {
				t.Fatalf("the percentage is %d", percent())
			}
		}
	}
	large := make([]byte, 200<<20)
	follows(true)
	runtime.KeepAlive(large) // from here on the collector may free it
	follows(false)
}

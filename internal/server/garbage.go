package server

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Bounds of the garbage before a collection. A server needs little memory, so it would collect very
// often with Go's default of 100%. But 200% would be much while a study with a million answers is
// counted.
const (
	maxGarbage        = 20 << 20 // bytes
	minGarbagePercent = 10
	maxGarbagePercent = 200
)

// BoundGarbage sets the garbage collector's percentage after every collection, so that garbage is at most
// maxGarbage bytes and within minGarbagePercent and maxGarbagePercent of the live heap. It does nothing if the
// environment sets GOGC.
func BoundGarbage() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(maxGarbagePercent)
	afterCollection(&garbage{percent: maxGarbagePercent})
}

// garbage is the current percentage. Objects of less than 16 bytes may never be finalized.
type garbage struct {
	percent int
	_       [16]byte
}

// afterCollection adjusts the percentage after every collection: a finalizer runs after one, and sets itself again.
func afterCollection(g *garbage) {
	runtime.SetFinalizer(g, func(g *garbage) {
		if percent := garbagePercent(liveHeap()); percent != g.percent {
			g.percent = percent
			debug.SetGCPercent(percent)
		}
		afterCollection(g)
	})
}

// liveHeap returns the bytes that the last collection found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// garbagePercent returns the percentage for a live heap, in steps of 10 so that it rarely changes.
func garbagePercent(live uint64) int {
	const step = 10
	percent := maxGarbage * 100 / max(live, 1) / step * step
	return int(min(max(percent, minGarbagePercent), maxGarbagePercent))
}

package main

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

// reserve is the least memory above the live heap that the process may have. Near its limit the runtime
// returns free memory to the system at once, such as the old copy of a large slice that has grown.
const reserve = 64 << 20 // bytes

// boundGarbage sets the garbage collector's percentage after every collection, so that garbage is at most
// maxGarbage bytes and within minGarbagePercent and maxGarbagePercent of the live heap, and a soft limit of
// memory. It does nothing if the environment sets GOGC or GOMEMLIMIT.
func boundGarbage() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(maxGarbagePercent)
	afterCollection(&garbage{percent: maxGarbagePercent})
}

// garbage has the current percentage and the current limit.
type garbage struct {
	percent int
	limit   uint64
	_       [8]byte // objects of less than 16 bytes may never be finalized
}

// afterCollection adjusts the percentage after every collection: a finalizer runs after one, and sets itself again.
func afterCollection(g *garbage) {
	runtime.SetFinalizer(g, func(g *garbage) {
		live := liveHeap()
		if percent := garbagePercent(live); percent != g.percent {
			g.percent = percent
			debug.SetGCPercent(percent)
		}
		if limit := memoryLimit(live); limit != g.limit {
			g.limit = limit
			debug.SetMemoryLimit(int64(limit))
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

// memoryLimit returns the limit of memory for a live heap, in steps so that it rarely changes.
func memoryLimit(live uint64) uint64 {
	const step = 16 << 20
	return (live + max(reserve, live/4) + step - 1) / step * step
}

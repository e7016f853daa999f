package bombs

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Peak returns how many bytes the heap grows while f runs, sampled a thousand times a second, and at most the bytes
// that f allocates in total. The garbage collector runs whenever the heap grows by a tenth, so that the garbage of
// the calling test does not count.
func Peak(f func()) int64 {
	const interval, growth = time.Millisecond, 10 // percent
	defer debug.SetGCPercent(debug.SetGCPercent(growth))
	runtime.GC()
	base, allocated := heap(), total()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := base
		for {
			most = max(most, heap())
			select {
			case <-stop:
				peak <- max(most, heap()) - base
				return
			case <-time.After(interval):
			}
		}
	}()
	f()
	close(stop)
	return min(<-peak, total()-allocated)
}

// Kept returns how many bytes the heap has, without garbage.
func Kept() int64 {
	runtime.GC()
	return heap()
}

func heap() int64  { return read("/memory/classes/heap/objects:bytes") }
func total() int64 { return read("/gc/heap/allocs:bytes") }

func read(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

package cataloguetest

import (
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"
)

// GzipBomb returns text and then at least size bytes of a text that is repeated, compressed.
func GzipBomb(text, repeated string, size int) string {
	const block = 4 << 20
	times := block/len(repeated) + 1
	return Packed(text) + strings.Repeat(Packed(strings.Repeat(repeated, times)), size/(times*len(repeated))+1)
}

// LongFile is a file that starts with a text and goes on with one byte. It takes no memory.
type LongFile struct {
	Start string
	Fill  byte
	Size  int64
}

// ReadAt reads any part.
func (l LongFile) ReadAt(p []byte, at int64) (int, error) {
	if at >= l.Size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), l.Size-at))
	copied := 0
	if at < int64(len(l.Start)) {
		copied = copy(p[:n], l.Start[at:])
	}
	for i := copied; i < n; i++ {
		p[i] = l.Fill
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// PeakMemory returns how many bytes the heap grows while f runs, sampled a thousand times a second, and at most the bytes
// that f allocates in total. The garbage collector runs whenever the heap grows by a tenth, so that the garbage of
// the calling test does not count.
func PeakMemory(f func()) int64 {
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

// KeptMemory returns how many bytes the heap has, without garbage.
func KeptMemory() int64 {
	runtime.GC()
	return heap()
}

func heap() int64  { return readMetric("/memory/classes/heap/objects:bytes") }
func total() int64 { return readMetric("/gc/heap/allocs:bytes") }

func readMetric(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

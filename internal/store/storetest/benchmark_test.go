package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"bestpick/internal/study"
)

// atOnce is the number of goroutines that record outcomes in benchmarks, and the number of rows in
// each of the plain transactions that they are compared with.
const atOnce = 64

// benchmark measures b.N acknowledged outcomes, one per call, from many goroutines. Every
// respondent gives as many answers as the limit each allows, or one without a limit. It reports
// outcomes per second, and their ratio to the rows that plain transactions of [atOnce] rows insert
// into a table of the same shape in the same time. plain inserts the given number of rows.
func benchmark(b *testing.B, store Store, each int, plain func(rows int) error) {
	b.Helper()
	if err := store.Create(b.Context(), sample("a"), nil); err != nil {
		b.Fatal(err)
	}
	if err := plain(b.N); err != nil { // a growing file is slower, so it grows before the measurement
		b.Fatal(err)
	}
	b.ResetTimer()
	var next atomic.Int64
	var respondents sync.WaitGroup
	for range atOnce {
		respondents.Go(func() {
			for p := next.Add(1); p <= int64(b.N); p = next.Add(1) {
				o := answer(study.Position(p))
				if each != study.NoLimit {
					o.Respondent = fmt.Sprint("Zoë ", p/int64(each))
				}
				results, err := store.Record(b.Context(), "a", each, o)
				if err != nil || results[0] != nil {
					b.Error(err, results)
					return
				}
			}
		})
	}
	respondents.Wait()
	recorded := b.Elapsed()
	if err := plain(b.N); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/recorded.Seconds(), "outcomes/s")
	b.ReportMetric((b.Elapsed()-recorded).Seconds()/recorded.Seconds(), "of-plain-inserts")
}

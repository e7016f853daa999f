package encode_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/testsupport"
)

// BenchmarkEncode learns the encoding of 100,000 arms with 32 numbers and applies it. The
// ratios are to copying all cells once, in order.
func BenchmarkEncode(b *testing.B) {
	const n, d = 100_000, 32
	rng := rand.New(rand.NewPCG(1, 2))
	arms := cataloguetest.TableOf()
	for k := range d {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		arms.Columns = append(arms.Columns, cataloguetest.Numbers(fmt.Sprint("x", k), x...))
	}
	cells, copies := make([]float32, n*d), make([]float32, n*d)
	var learning, encoding, copying time.Duration
	for b.Loop() {
		start := time.Now()
		copy(copies, cells)
		copied := time.Now()
		e, err := encode.NewEncoding(arms, 0)
		testsupport.NoError(b, err)
		learned := time.Now()
		if _, err := e.Cells(arms); err != nil {
			b.Fatal(err)
		}
		copying += copied.Sub(start)
		learning += learned.Sub(copied)
		encoding += time.Since(learned)
	}
	b.ReportMetric(float64(learning)/float64(copying), "learning/copy")
	b.ReportMetric(float64(encoding)/float64(copying), "encoding/copy")
}

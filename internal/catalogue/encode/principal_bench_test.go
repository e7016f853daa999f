package encode_test

import (
	"math/rand/v2"
	"testing"

	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/testsupport"
)

// BenchmarkPrincipal reduces 50,000 vectors of 384 numbers to 16: it finds the axes and applies them.
// tools/pca.py does the same with NumPy.
func BenchmarkPrincipal(b *testing.B) {
	column := decayingEmbedding(rand.New(rand.NewPCG(1, 2)), 50_000, 384, 0.97)
	arms := cataloguetest.TableOf(column)
	for b.Loop() {
		e, err := encode.NewEncoding(arms, 0)
		testsupport.NoError(b, err)
		if _, err := e.Cells(arms); err != nil {
			b.Fatal(err)
		}
	}
}

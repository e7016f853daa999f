package table_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"bestpick/internal/table"
)

// BenchmarkParseNumber compares ParseNumber with strconv.ParseFloat on the numbers of
// BenchmarkReadCSV in package read: seven significant digits.
func BenchmarkParseNumber(b *testing.B) {
	const count = 1 << 12
	random := rand.New(rand.NewPCG(1, 1))
	var texts [count][]byte
	for i := range texts {
		texts[i] = strconv.AppendFloat(make([]byte, 0, 32), random.NormFloat64(), 'g', 7, 64)
	}
	b.Run("table", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, ok := table.ParseNumber(texts[i%count]); !ok {
				b.Fatal(texts[i%count])
			}
		}
	})
	b.Run("strconv", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := strconv.ParseFloat(string(texts[i%count]), 64); err != nil {
				b.Fatal(err)
			}
		}
	})
}

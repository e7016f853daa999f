package design

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRanking: directions come in the order of their widths, a family that is added later
// included, and what is not put in order is no wider than is said.
func TestRanking(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for range 200 {
		n, low := 1+rng.IntN(5000), 0.5*rng.Float64()
		var families []family
		var widths []float64 // that matter
		for end := range 3 {
			f := family{end, make([]float64, n)}
			for j := range f.widths {
				f.widths[j] = rng.Float64()
				if f.widths[j] > low {
					widths = append(widths, f.widths[j])
				}
			}
			families = append(families, f)
		}
		var r ranking
		r.start(families[:2], low, 0.999)
		for range rng.IntN(3) {
			r.extend()
		}
		r.add(families[2])
		slices.Sort(widths)
		slices.Reverse(widths)
		for k := range widths {
			way, ok := r.at(k)
			if !ok {
				if way.width < widths[k] {
					t.Fatalf("the direction of rank %d is %g wide, said to be at most %g", k, widths[k], way.width)
				}
				break
			}
			if way.width != widths[k] || families[way.end].widths[way.arm] != way.width {
				t.Fatalf("rank %d: %+v, want %g", k, way, widths[k])
			}
		}
		if way, ok := r.at(len(r.list)); !ok && len(r.list) == len(widths) && way.width > low {
			t.Fatalf("none is left, but one may be %g wide", way.width)
		}
	}
}

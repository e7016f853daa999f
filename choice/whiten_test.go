package choice_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// TestWhiten: centred, uncorrelated, of mean square one, with as many coordinates as the
// differences span, copies still copies, and every difference of utilities still there.
func TestWhiten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	rows, ids := make([][]float64, 9), make([]string, 9)
	for i := range rows {
		ids[i] = string(rune('a' + i))
		x, y := rng.NormFloat64(), 1e6*rng.NormFloat64()
		rows[i] = []float64{x, y, 2*x + y/1e6, 7} // two dimensions, and a constant
	}
	rows[8] = slices.Clone(rows[3])
	c := must(choice.NewCatalogue(ids, []string{"x", "y", "z", "one"}, rows))
	w := must(choice.Whiten(c))
	if w.Len() != 9 || w.Dim() != 2 || w.ID(4) != "e" {
		t.Fatalf("%d arms, %d coordinates", w.Len(), w.Dim())
	}
	if !slices.Equal(w.Arm(3), w.Arm(8)) {
		t.Error("a copy is no copy any more")
	}
	for k := range 2 {
		for l := range 2 {
			mean, product := 0.0, 0.0
			for i := range 9 {
				mean += w.Arm(i)[k] / 9
				product += w.Arm(i)[k] * w.Arm(i)[l] / 9
			}
			approx.Equal(t, "mean", mean, 0, 1e-12)
			want := 0.0
			if k == l {
				want = 1
			}
			approx.Equal(t, "product", product, want, 1e-12)
		}
	}
	theta := []float64{1, 2e-6, -0.5, 3}
	white := make([]float64, 2)
	for i := range 9 {
		for k := range white {
			white[k] += w.Arm(i)[k] * c.Utility(i, theta) / 9
		}
	}
	for i := range 9 {
		approx.Equal(t, "difference", w.Utility(i, white)-w.Utility(0, white), c.Utility(i, theta)-c.Utility(0, theta), 1e-9)
	}
	same := must(choice.NewCatalogue([]string{"a", "b"}, []string{"x"}, [][]float64{{1}, {1}}))
	if _, err := choice.Whiten(same); !errors.Is(err, choice.ErrNoDifference) {
		t.Errorf("arms without difference: %v", err)
	}
}

// TestWhitenConstants: a feature that is the same for all arms is no coordinate, however its
// mean is rounded.
func TestWhitenConstants(t *testing.T) {
	for n := 2; n <= 24; n++ {
		for _, constant := range []float64{0.1, 1, 7, -1e6 / 3} {
			rows, ids := make([][]float64, n), make([]string, n)
			for i := range rows {
				ids[i], rows[i] = string(rune('a'+i)), []float64{float64(i), constant}
			}
			c := must(choice.NewCatalogue(ids, []string{"x", "one"}, rows))
			if w, err := choice.Whiten(c); err != nil || w.Dim() != 1 {
				t.Errorf("%d arms, constant %v: %d coordinates (%v)", n, constant, w.Dim(), err)
			}
		}
	}
}

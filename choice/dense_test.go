package choice_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// denseCatalogue is random arms with 32-bit features, and the same with 64 bits.
func denseCatalogue(tb rapid.TB, rng *rand.Rand, n, d int) (narrow, wide *choice.Catalogue) {
	tb.Helper()
	ids, features, cells, rows := make([]string, n), make([]string, d), make([]float32, n*d), make([][]float64, n)
	for k := range features {
		features[k] = fmt.Sprint("x", k+1)
	}
	for i := range ids {
		ids[i] = fmt.Sprint("a", i+1)
		for k := range d {
			cells[i*d+k] = float32(rng.NormFloat64() + float64(k))
			rows[i] = append(rows[i], float64(cells[i*d+k]))
		}
	}
	narrow = must(choice.NewDense(ids, features, cells))
	wide = must(choice.NewCatalogue(ids, features, rows))
	return narrow, wide
}

func TestDenseIsTheSameAsWide(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{2, 5, 300, 20_000} {
		narrow, wide := denseCatalogue(t, rng, n, 7)
		x := randomVector(rng, 7, 1)
		fast, slow := make([]float64, n), make([]float64, n)
		narrow.Multiply(fast, x)
		wide.Multiply(slow, x)
		approx.EqualSlices(t, "products", fast, slow, 1e-12)
		for _, arm := range []int{0, n / 2, n - 1} {
			approx.EqualSlices(t, "arm", narrow.Arm(arm), wide.Arm(arm), 0)
			approx.Equal(t, "utility", narrow.Utility(arm, x), fast[arm], 0)
			if at, ok := narrow.Index(narrow.ID(arm)); at != arm || !ok {
				t.Errorf("arm %d is found as %d, %v", arm, at, ok)
			}
		}
		if _, ok := narrow.Index("nobody"); ok {
			t.Error("an unknown id was found")
		}
		q := mat.NewDense(7, 3, nil)
		for k := range 7 {
			q.SetRow(k, randomVector(rng, 3, 1))
		}
		centre := narrow.Arm(n - 1)
		for _, c := range []*choice.Catalogue{narrow, wide} {
			c.Distances(fast, q, centre)
			for i := range n {
				var image mat.VecDense
				difference := mat.NewVecDense(7, append([]float64(nil), wide.Arm(i)...))
				difference.SubVec(difference, mat.NewVecDense(7, centre))
				image.MulVec(q.T(), difference)
				slow[i] = mat.Dot(&image, &image)
			}
			approx.EqualSlices(t, "distances", fast, slow, 1e-9)
		}
		approx.EqualSlices(t, "mean squares", narrow.MeanSquares(), wide.MeanSquares(), 1e-12)
	}
}

func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		ids  []string
		want bool
	}{
		{nil, false},
		{[]string{"a"}, false},
		{[]string{"a", "a"}, true},
		{[]string{"a", "b", "ab", ""}, false},
		{[]string{"x", "a", "b", "c", "x"}, true},
	} {
		if got := choice.Repeats(c.ids); got != c.want {
			t.Errorf("%q: %v", c.ids, got)
		}
	}
}

func TestDenseRefusals(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name          string
		ids, features []string
		cells         []float32
		says          string
	}{
		{"no features", []string{"x", "y"}, nil, nil, "at least one feature"},
		{"shape", []string{"x", "y"}, []string{"a", "b"}, []float32{1, 2, 3}, "3 values for 2 arms with 2 features"},
		{"one arm", []string{"x"}, []string{"a"}, []float32{1}, "at least two arms"},
		{"duplicate id", []string{"x", "y", "x"}, []string{"a"}, []float32{1, 2, 3}, `arm 3 has the id "x" of arm 1`},
		{"empty id", []string{"x", ""}, []string{"a"}, []float32{1, 2}, "arm 2 has an empty id"},
		{"duplicate feature", []string{"x", "y"}, []string{"a", "a"}, []float32{1, 2, 3, 4}, `two features are called "a"`},
		{"NaN", []string{"x", "y"}, []string{"a", "b"}, []float32{1, 2, 3, nan}, `arm 2 ("y"), feature "b": NaN`},
	} {
		if _, err := choice.NewDense(c.ids, c.features, c.cells); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Whitened coordinates are centred, uncorrelated and of mean square one, whichever way they
// are found, and utilities in them are the same but for a constant.
func TestWhiteningIsThatOfWhiten(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const n = 3000
	narrow, wide := denseCatalogue(t, rng, n, 5)
	whitening := must(choice.NewWhitening(narrow))
	white := whitening.Catalogue()
	if white.Dim() != 5 || white.Len() != n || white.ID(7) != wide.ID(7) {
		t.Fatalf("%d coordinates of %d arms", white.Dim(), white.Len())
	}
	mean, covariance := make([]float64, 5), mat.NewSymDense(5, nil)
	for i := range n {
		for k, x := range white.Arm(i) {
			mean[k] += x / n
		}
		covariance.SymRankOne(covariance, 1.0/n, mat.NewVecDense(5, white.Arm(i)))
	}
	approx.EqualSlices(t, "mean", mean, make([]float64, 5), 1e-9)
	approx.EqualSlices(t, "mean squares", white.MeanSquares(), []float64{1, 1, 1, 1, 1}, 1e-6)
	for k := range 5 {
		for l := range 5 {
			want := 0.0
			if k == l {
				want = 1
			}
			approx.Equal(t, "covariance", covariance.At(k, l), want, 1e-6)
		}
	}
	// Distances in coordinates of covariance one do not depend on how they were found.
	other := must(choice.Whiten(wide))
	unit := mat.NewSymDense(5, nil)
	for k := range 5 {
		unit.SetSym(k, k, 1)
	}
	var factor mat.Cholesky
	factor.Factorize(unit)
	distances, products := make([]float64, n), make([]float64, n)
	whitening.Distances(distances, &factor, 3)
	theta := randomVector(rng, 5, 1)
	whitening.Multiply(products, theta)
	for i := range n {
		want := 0.0
		for k, x := range other.Arm(i) {
			want += (x - other.Arm(3)[k]) * (x - other.Arm(3)[k])
		}
		approx.Equal(t, "distance", distances[i], want, 1e-5)
		approx.Equal(t, "product", products[i], white.Utility(i, theta), 1e-9)
	}
}

func TestWhiteningLeavesOutWhatDoesNotVary(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const n, d = 5000, 4
	cells, ids := make([]float32, n*d), make([]string, n)
	for i := range n {
		ids[i] = strconv.Itoa(i)
		x, y := float32(rng.NormFloat64()), float32(rng.NormFloat64())
		copy(cells[i*d:], []float32{x, 1e6 * y, 7, 4 * x})
	}
	c := must(choice.NewDense(ids, []string{"x", "y", "same", "fourfold"}, cells))
	whitening, err := choice.NewWhitening(c)
	if err != nil || whitening.Dim() != 2 {
		t.Errorf("%d coordinates, %v", whitening.Dim(), err)
	}
	same := must(choice.NewDense([]string{"a", "b"}, []string{"x"}, []float32{3, 3}))
	if _, err := choice.NewWhitening(same); !errors.Is(err, choice.ErrNoDifference) {
		t.Error(err)
	}
}

// What varies little beside something large is kept: a feature around a large mean, and a
// direction in which two features hardly differ. Both may decide which arm is best.
func TestWhiteningKeepsWhatVariesLittle(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	const n, d = 6000, 3
	cells, ids := make([]float32, n*d), make([]string, n)
	for i := range n {
		ids[i] = strconv.Itoa(i)
		x, bit := float32(rng.NormFloat64()), float32(rng.IntN(2))
		copy(cells[i*d:], []float32{x, x + 1e-6*float32(rng.NormFloat64()), 1.2e7 + bit})
	}
	c := must(choice.NewDense(ids, []string{"x", "nearly", "bit"}, cells))
	whitening, err := choice.NewWhitening(c)
	if err != nil || whitening.Dim() != 3 {
		t.Fatalf("%d coordinates, %v", whitening.Dim(), err)
	}
	white := whitening.Catalogue()
	covariance := mat.NewSymDense(3, nil)
	for i := range n {
		covariance.SymRankOne(covariance, 1.0/n, mat.NewVecDense(3, white.Arm(i)))
	}
	for k := range 3 {
		for l := range k {
			approx.Equal(t, "covariance", covariance.At(k, l), 0, 1e-3)
		}
		approx.Equal(t, "variance", covariance.At(k, k), 1, 1e-3)
	}
}

// The coordinates do not depend on the number of cores.
func TestWhiteningOnAnyNumberOfCores(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	narrow, _ := denseCatalogue(t, rng, 70_000, 6)
	coordinates := func(cores int) (rows [][]float64) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		whitening := must(choice.NewWhitening(narrow))
		for _, arm := range []int{0, 777, 69_999} {
			rows = append(rows, whitening.Arm(arm))
		}
		return rows
	}
	one := coordinates(1)
	for _, cores := range []int{2, 3, 7} {
		for i, row := range coordinates(cores) {
			approx.EqualSlices(t, "coordinates", row, one[i], 0)
		}
	}
}

// BenchmarkPass is one matrix–vector product with the features, and what distances cost in
// passes.
func BenchmarkPass(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			const d = 32
			cells, ids, features := make([]float32, n*d), make([]string, n), make([]string, d)
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range cells {
				cells[i] = float32(rng.NormFloat64())
			}
			for i := range ids {
				ids[i] = strconv.Itoa(i)
			}
			for k := range features {
				features[k] = strconv.Itoa(k)
			}
			c := must(choice.NewDense(ids, features, cells))
			x, dst, root := randomVector(rng, d, 1), make([]float64, n), mat.NewDense(d, d, nil)
			for k := range d {
				root.SetRow(k, randomVector(rng, d, 1))
			}
			var pass, distances float64
			for b.Loop() {
				pass += seconds(func() { c.Multiply(dst, x) })
				distances += seconds(func() { c.Distances(dst, root, x) })
			}
			b.ReportMetric(1e3*pass/float64(b.N), "pass-ms")
			b.ReportMetric(distances/pass, "distances/pass")
		})
	}
}

func seconds(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

package encode_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/testsupport"
)

// randomEmbedding draws vectors around (5, 5, …) whose numbers have ever smaller variances,
// mixed by neighbours.
func randomEmbedding(rng *rand.Rand, arms, width int) catalogue.Column {
	return decayingEmbedding(rng, arms, width, 0.8)
}

func decayingEmbedding(rng *rand.Rand, arms, width int, decay float64) catalogue.Column {
	x := make([]float32, arms*width)
	for i := range arms {
		before := 0.0
		for j := range width {
			z := rng.NormFloat64() * math.Pow(decay, float64(j))
			x[i*width+j] = float32(5 + z + 0.3*before)
			before = z
		}
	}
	return cataloguetest.Embedding("e", width, x...)
}

// TestPrincipalAxes compares with gonum's principal components, which come from a singular
// value decomposition: small matrices, wide ones, more numbers than arms.
func TestPrincipalAxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		arms, width, dimensions, axes int
		decay                         float64
	}{
		{50, 6, 3, 3, 0.8},
		{50, 6, 0, 6, 0.8},
		{5, 40, 0, 4, 0.8},
		{400, 300, 8, 8, 0.8},
		{30, 300, 0, 16, 0.8},
		{6, 300, 0, 5, 0.8},
		{2000, 300, 8, 8, 0.97},
	} {
		column := decayingEmbedding(rng, c.arms, c.width, c.decay)
		e, err := encode.NewEncoding(cataloguetest.TableOf(column), c.dimensions)
		testsupport.NoError(t, err)
		p := e.Columns[0].Embedding
		if len(p.Axes) != c.axes {
			t.Fatalf("%+v: %d axes", c, len(p.Axes))
		}
		data := mat.NewDense(c.arms, c.width, nil)
		for i, x := range column.Vectors {
			data.Set(i/c.width, i%c.width, float64(x))
		}
		var pc stat.PC
		if !pc.PrincipalComponents(data, nil) {
			t.Fatal("no principal components")
		}
		var vectors mat.Dense
		pc.VectorsTo(&vectors)
		variances := pc.VarsTo(nil)
		total, kept := 0.0, 0.0
		for k, variance := range variances {
			total += variance
			if k < c.axes {
				kept += variance
			}
		}
		approx.Equal(t, "share kept", p.Kept, kept/total, 1e-9)
		for i, share := range encode.Shares() {
			n := p.Needed[i]
			if before, after := sum(variances[:n-1])/total, sum(variances[:n])/total; before >= share || after < share-1e-12 {
				t.Errorf("%+v: %d axes keep %v, one less %v, and %v is wanted", c, n, after, before, share)
			}
		}
		// stat.PC divides by the number of arms less one.
		approx.EqualRelative(t, "scale", p.Scale, math.Sqrt(kept/float64(c.axes)*float64(c.arms-1)/float64(c.arms)), 1e-9)
		for k, axis := range p.Axes {
			want := mat.Col(nil, k, &vectors)
			approx.Equal(t, "squared cosine", math.Pow(floats.Dot(axis, want), 2), 1, 1e-6)
			approx.Equal(t, "length", floats.Dot(axis, axis), 1, 1e-9)
			if slices.Max(axis) < -slices.Min(axis) {
				t.Errorf("%+v: the largest component of axis %d is negative", c, k)
			}
		}
	}
}

func sum(x []float64) (total float64) {
	for _, value := range x {
		total += value
	}
	return total
}

// TestNoMoreAxesThanTheRank: vectors in a plane have two axes, however long they are.
func TestNoMoreAxesThanTheRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, width := range []int{8, 300} {
		x := make([]float32, 100*width)
		for i := range 100 {
			a, b := rng.IntN(100), rng.IntN(100)
			for j := range width {
				x[i*width+j] = float32(a*(j%3) + b*(j%5))
			}
		}
		e, c := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Embedding("e", width, x...)))
		if p := e.Columns[0].Embedding; len(p.Axes) != 2 || c.Dim() != 2 {
			t.Errorf("%d numbers: %d axes and %d features", width, len(p.Axes), c.Dim())
		}
		approx.Equal(t, "share kept", e.Columns[0].Embedding.Kept, 1, 1e-9)
	}
}

// TestWideVectors: numbers that are the same for all arms change nothing about the axes of the
// others, however many they are, and whether there are more arms than numbers or fewer.
func TestWideVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	const varying = 40
	for _, c := range []struct{ arms, width, dimensions int }{
		{1100, 1080, 8},
		{1080, 1100, 8},
		{60, 300, 30},
		{60, 4000, 30},
		{3, 16_384, 2},
	} {
		short := decayingEmbedding(rng, c.arms, varying, 0.9)
		long := make([]float32, c.arms*c.width)
		for i := range c.arms {
			copy(long[i*c.width:], short.Vectors[i*varying:(i+1)*varying])
		}
		var found [2]*encode.Principal
		for k, column := range []catalogue.Column{short, cataloguetest.Embedding("e", c.width, long...)} {
			e, err := encode.NewEncoding(cataloguetest.TableOf(column), c.dimensions)
			testsupport.NoError(t, err)
			found[k] = e.Columns[0].Embedding
		}
		want, got := found[0], found[1]
		if len(want.Axes) != c.dimensions || len(got.Axes) != c.dimensions {
			t.Fatalf("%+v: %d axes and %d", c, len(want.Axes), len(got.Axes))
		}
		approx.EqualRelative(t, "scale", got.Scale, want.Scale, 1e-9)
		approx.EqualRelative(t, "share kept", got.Kept, want.Kept, 1e-9)
		for k, axis := range want.Axes {
			approx.Equal(t, "cosine", floats.Dot(got.Axes[k][:varying], axis), 1, 1e-6)
			for m := range k {
				approx.Equal(t, "cosine of two axes", floats.Dot(got.Axes[k], got.Axes[m]), 0, 1e-9)
			}
		}
	}
	_, err := encode.NewEncoding(cataloguetest.TableOf(cataloguetest.Embedding("e", 16_385, make([]float32, 3*16_385)...)), 1)
	if err == nil || !strings.Contains(err.Error(), `column "e": vectors of 16,385 numbers are too long (at most 16,384)`) {
		t.Error(err)
	}
}

// TestVectorsThatHardlyDiffer: the last bit of a number is a difference, the rounding of the
// mean is none.
func TestVectorsThatHardlyDiffer(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Embedding("e", 2, 1, 1, 1,
		math.Nextafter32(1, 2), 1, 1)))
	if len(e.Features()) != 1 {
		t.Errorf("%d features", len(e.Features()))
	}
	e, _ = cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Numbers("x", 1, 2, 3),
		cataloguetest.Embedding("e", 2, 0.1, 0.7, 0.1, 0.7, 0.1, 0.7)))
	if len(e.Features()) != 1 || len(e.LeftOut) != 1 {
		t.Errorf("%d features, left out %v", len(e.Features()), e.LeftOut)
	}
}

// TestNoMoreThanAllIsKept, whatever rounding says.
func TestNoMoreThanAllIsKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 50 {
		e, _ := cataloguetest.EncodeTable(t, cataloguetest.TableOf(randomEmbedding(rng, 20, 8)))
		if kept := e.Columns[0].Embedding.Kept; !(kept > 0.999 && kept <= 1) {
			t.Fatalf("%v of the variance is kept", kept)
		}
	}
}

// TestEmbeddingFeatures: scores have mean square one on average before the ball.
func TestEmbeddingFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	column := randomEmbedding(rng, 100, 10)
	e, c := cataloguetest.EncodeTable(t, cataloguetest.TableOf(column))
	if c.Dim() != 10 || c.Features()[9] != "e[10]" {
		t.Fatalf("features %v", c.Features())
	}
	square := 0.0
	for i := range c.Len() {
		square += floats.Dot(c.Arm(i), c.Arm(i)) * e.Ball * e.Ball
	}
	approx.Equal(t, "mean square", square/100/10, 1, 1e-5)
	// With all axes kept, distances are those of the vectors.
	distance, want := 0.0, 0.0
	for k := range 10 {
		distance += math.Pow(c.Arm(0)[k]-c.Arm(1)[k], 2)
		want += math.Pow(float64(column.Vectors[k]-column.Vectors[10+k]), 2)
	}
	approx.EqualRelative(t, "distance", math.Sqrt(distance)*e.Ball*e.Columns[0].Embedding.Scale, math.Sqrt(want), 1e-5)
}

// TestAxesFromASample: with more arms than are looked at, the axes are nearly those of all.
func TestAxesFromASample(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	column := randomEmbedding(rng, 50_000, 4)
	e, err := encode.NewEncoding(cataloguetest.TableOf(column), 1)
	testsupport.NoError(t, err)
	first := cataloguetest.Embedding("e", 4, column.Vectors[:4*10_000]...)
	other, err := encode.NewEncoding(cataloguetest.TableOf(first), 1)
	testsupport.NoError(t, err)
	// The angle's standard error is about 1/√10,000 times a small factor; its cosine differs
	// from one by its square.
	approx.Equal(t, "cosine", floats.Dot(e.Columns[0].Embedding.Axes[0], other.Columns[0].Embedding.Axes[0]), 1, 1e-3)
	if e.Columns[0].Embedding.Axes[0][0] == other.Columns[0].Embedding.Axes[0][0] {
		t.Error("only the first arms were looked at")
	}
}

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

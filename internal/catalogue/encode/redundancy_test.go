package encode_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/testsupport"
)

func TestWhatFollowsFromOthersIsLeftOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 1000 + rng.NormFloat64()
		}
		return x
	}
	a, b := random(8), random(8)
	sum := make([]float64, 8)
	for i := range sum {
		sum[i] = 3*a[i] - 2*b[i] + 5
	}
	brands := []string{"acme", "hal", "zeta", "acme", "hal", "zeta", "zeta", "acme"}
	countries := make([]string, 8)
	for i, brand := range brands {
		countries[i] = map[string]string{"acme": "us", "hal": "us", "zeta": "de"}[brand]
	}
	for _, c := range []struct {
		name     string
		arms     *catalogue.Table
		features string
		left     string
	}{
		{
			"constant", cataloguetest.TableOf(cataloguetest.Numbers("a", a...), cataloguetest.Categories("colour", make8("red")...),
				cataloguetest.Numbers("zero", make([]float64, 8)...)),
			"[a]", "[colour is the same for all arms zero is the same for all arms]",
		},
		{
			"units", cataloguetest.TableOf(cataloguetest.Numbers("volume_l", 1, 2, 0.5, 0.3),
				cataloguetest.Numbers("volume_ml", 1000, 2000, 500, 300)),
			"[volume_l]", "[volume_ml is determined by volume_l]",
		},
		{
			"sum", cataloguetest.TableOf(cataloguetest.Numbers("a", a...), cataloguetest.Numbers("b", b...),
				cataloguetest.Numbers("sum", sum...)),
			"[a b]", "[sum is determined by a and b]",
		},
		{
			"sum first", cataloguetest.TableOf(cataloguetest.Numbers("sum", sum...), cataloguetest.Numbers("a", a...),
				cataloguetest.Numbers("b", b...)),
			"[sum a]", "[b is determined by sum and a]",
		},
		{
			"nested", cataloguetest.TableOf(cataloguetest.Categories("brand", brands...),
				cataloguetest.Categories("country", countries...)),
			"[brand=acme brand=hal]", "[country is determined by brand]",
		},
		{
			"nested the other way", cataloguetest.TableOf(cataloguetest.Categories("country", countries...),
				cataloguetest.Categories("brand", brands...)),
			"[country=us brand=acme]", "[brand=hal is determined by country and brand]",
		},
		{
			"embedding before", cataloguetest.TableOf(cataloguetest.Embedding("e", 1, 1, 2, 4),
				cataloguetest.Numbers("price", 10, 20, 40)),
			"[price]", "[e is determined by price]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := cataloguetest.EncodeTable(t, c.arms)
			if got := fmt.Sprint(e.Features()); got != c.features {
				t.Errorf("features %s, want %s", got, c.features)
			}
			if got := fmt.Sprint(e.LeftOut); got != c.left {
				t.Errorf("left out %s, want %s", got, c.left)
			}
		})
	}
}

func make8(text string) []string {
	texts := make([]string, 8)
	for i := range texts {
		texts[i] = text
	}
	return texts
}

// TestSmallDifferencesStay: what differs by more than rounding is a feature of its own, and
// said to be nearly none; what is rounded to six decimals is the same.
func TestSmallDifferencesStay(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, near, rounded := make([]float64, 2000), make([]float64, 2000), make([]float64, 2000)
	for i := range x {
		x[i] = rng.NormFloat64()
		near[i] = x[i] + 1e-4*rng.NormFloat64()
		rounded[i] = math.Round(1e6*x[i]) / 1e6
	}
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Numbers("x", x...),
		cataloguetest.Numbers("rounded", rounded...), cataloguetest.Numbers("near", near...)))
	if fmt.Sprint(e.Features(), e.LeftOut, e.Nearly) != "[x near] [rounded is determined by x] [near is determined by x]" {
		t.Errorf("features %v, left out %v, nearly %v", e.Features(), e.LeftOut, e.Nearly)
	}
}

// TestDifferencesBetweenBlocks: numbers that are equal for many arms in a row, and then for
// many others up to a constant, are not the same.
func TestDifferencesBetweenBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x, shifted, sum := make([]float64, 4096), make([]float64, 4096), make([]float64, 4096)
	for i := range x {
		x[i] = rng.NormFloat64()
		shifted[i] = x[i] + float64(i/2048)
		sum[i] = x[i] + shifted[i]
	}
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Numbers("x", x...),
		cataloguetest.Numbers("shifted", shifted...), cataloguetest.Numbers("sum", sum...)))
	if got := fmt.Sprint(e.Features(), e.LeftOut); got != "[x shifted] [sum is determined by x and shifted]" {
		t.Error(got)
	}
}

// TestRareLevelsAreIndependent: a level of one arm in a hundred thousand is not mistaken for
// what follows from the others, and one that does follow is found.
func TestRareLevelsAreIndependent(t *testing.T) {
	const n = 100_000
	levels, twin, same := make([]string, n), make([]string, n), make([]string, n)
	for i := range levels {
		levels[i], twin[i], same[i] = "usual", "usual", "no"
	}
	levels[7], levels[8], twin[7], same[7] = "rare", "other", "rare", "yes"
	levels[0], levels[n-1] = "first", "first"
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Categories("a", levels...),
		cataloguetest.Categories("twin", twin...), cataloguetest.Booleans("same", same...)))
	if got := fmt.Sprint(e.Features(), e.LeftOut); got != "[a=first a=usual a=rare] [twin is determined by a same is determined by a]" {
		t.Error(got)
	}
}

// TestFeaturesAreIndependent: no more features are left than arms can differ in, and each is
// needed: without left-out ones the arms span what they spanned with them.
func TestFeaturesAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arms := cataloguetest.DrawTable(t)
		e, c := cataloguetest.EncodeTable(t, arms)
		if c.Dim() > c.Len()-1 {
			t.Errorf("%d features for %d arms", c.Dim(), c.Len())
		}
		for _, coding := range e.Columns {
			for _, f := range coding.Features {
				if coding.Kind == catalogue.Number && len(f.Instead) > 0 {
					checkInstead(t, e, arms, coding, f)
				}
			}
		}
	})
}

// checkInstead: a number that is left out differs between arms as its parts do.
func checkInstead(t *rapid.T, e *encode.Encoding, arms *catalogue.Table, coding *encode.Coding, f encode.Feature) {
	c, err := e.Encode(arms)
	testsupport.NoError(t, err)
	x := arms.Column(coding.Column).Numbers
	for i := range x {
		want := (x[i] - x[0]) / coding.Scale
		got, size := 0.0, 1.0
		for k, name := range c.Features() {
			for _, p := range f.Instead {
				if p.Feature == name {
					got += p.Weight * e.Ball * (c.Arm(i)[k] - c.Arm(0)[k])
					size = math.Hypot(size, p.Weight*e.Ball)
				}
			}
		}
		approx.Equal(t, fmt.Sprintf("%s of arm %d", f.Name, i), got, want, 1e-5*size)
	}
}

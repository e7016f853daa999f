package choice_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bestpick/choice"
	"bestpick/internal/approx"
)

func TestCatalogueHoldsArms(t *testing.T) {
	c := must(choice.NewCatalogue([]string{"x", "y", "z"}, []string{"price", "size"},
		[][]float64{{1, 2}, {3, 4}, {5, 6}}))
	if c.Len() != 3 || c.Dim() != 2 || c.ID(1) != "y" || c.Features()[1] != "size" {
		t.Errorf("got %d arms with %d features, arm 1 is %q", c.Len(), c.Dim(), c.ID(1))
	}
	approx.EqualSlices(t, "arm 2", c.Arm(2), []float64{5, 6}, 0)
	if i, ok := c.Index("z"); i != 2 || !ok {
		t.Errorf("Index(z) = %d, %v", i, ok)
	}
	if _, ok := c.Index("w"); ok {
		t.Error("an unknown id was found")
	}
	approx.EqualSlices(t, "utilities", c.Utilities(nil, choice.Question{2, 0}, []float64{1, -1}), []float64{-1, -1}, 0)
	approx.Equal(t, "utility", c.Utility(1, []float64{10, 1}), 34, 0)
}

func TestCatalogueRefusals(t *testing.T) {
	ids, features := []string{"x", "y"}, []string{"price", "size"}
	good := [][]float64{{1, 2}, {3, 4}}
	for _, c := range []struct {
		name          string
		ids, features []string
		rows          [][]float64
		arm, feature  int
		says          string
	}{
		{"ids and rows", ids[:1], features, good, -1, -1, "1 ids for 2 rows"},
		{"one arm", ids[:1], features, good[:1], -1, -1, "at least two arms"},
		{"no arms", nil, features, nil, -1, -1, "at least two arms"},
		{"no features", ids, nil, [][]float64{{}, {}}, -1, -1, "at least one feature"},
		{"ragged", ids, features, [][]float64{{1, 2}, {3}}, 1, -1, `arm 2 ("y") has 1 values for 2 features`},
		{"duplicate id", []string{"x", "x"}, features, good, 1, -1, `arm 2 has the id "x" of arm 1`},
		{"empty id", []string{"x", ""}, features, good, 1, -1, "arm 2 has an empty id"},
		{"duplicate feature", ids, []string{"a", "a"}, good, -1, 1, `two features are called "a"`},
		{"empty feature", ids, []string{"a", ""}, good, -1, 1, "feature 2 has an empty name"},
		{"NaN", ids, features, [][]float64{{1, 2}, {3, math.NaN()}}, 1, 1, `arm 2 ("y"), feature "size": NaN`},
		{"infinite", ids, features, [][]float64{{math.Inf(-1), 2}, {3, 4}}, 0, 0, `arm 1 ("x"), feature "price": -Inf`},
	} {
		t.Run(c.name, func(t *testing.T) {
			made, err := choice.NewCatalogue(c.ids, c.features, c.rows)
			var refused *choice.CatalogueError
			if made != nil || !errors.As(err, &refused) {
				t.Fatalf("got %v, %v", made, err)
			}
			if refused.Arm != c.arm || refused.Feature != c.feature || !strings.Contains(err.Error(), c.says) {
				t.Errorf("arm %d, feature %d: %v; want arm %d, feature %d: …%s…", refused.Arm, refused.Feature, err, c.arm, c.feature, c.says)
			}
		})
	}
}

func TestCatalogueKeepsItsOwnCopy(t *testing.T) {
	rows := [][]float64{{1}, {2}}
	ids := []string{"x", "y"}
	c := must(choice.NewCatalogue(ids, []string{"f"}, rows))
	rows[0][0], ids[0] = 99, "changed"
	if c.Arm(0)[0] != 1 || c.ID(0) != "x" {
		t.Error("the catalogue changed with its caller's slices")
	}
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// smallProduct has 3×2×4 profiles.
func smallProduct(tb testing.TB, rng *rand.Rand) *choice.Catalogue {
	tb.Helper()
	row := func(d int) []float64 { return randomVector(rng, d, 1) }
	c, err := choice.NewProduct([]choice.Group{
		{
			Features: []string{"p", "q"}, Options: []string{"price=1", "price=2, x", "price=3"},
			Rows: [][]float64{row(2), row(2), row(2)},
		},
		{Features: []string{"w"}, Options: []string{"wifi=no", "wifi=yes"}, Rows: [][]float64{{-1}, {1}}},
		{
			Features: []string{"b1", "b2", "b3"}, Options: []string{"a", "b", "c", "d"},
			Rows: [][]float64{row(3), row(3), row(3), row(3)},
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestProductIsItsProfiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	c := smallProduct(t, rng)
	p := c.Product()
	if c.Len() != 24 || c.Dim() != 6 || c.ID(0) != "price=1, wifi=no, a" || c.ID(23) != "price=3, wifi=yes, d" {
		t.Fatalf("%d arms in %d dimensions, from %q to %q", c.Len(), c.Dim(), c.ID(0), c.ID(23))
	}
	theta := randomVector(rng, 6, 1)
	best := 0
	for arm := range c.Len() {
		if at, ok := c.Index(c.ID(arm)); at != arm || !ok {
			t.Errorf("%q is found as %d, %v", c.ID(arm), at, ok)
		}
		if p.Profile(p.Options(arm)) != arm {
			t.Errorf("profile %d has options %v", arm, p.Options(arm))
		}
		sum := 0.0
		for g, option := range p.Options(arm) {
			sum += p.Utilities(theta)[g][option]
		}
		approx.Equal(t, "utility", sum, c.Utility(arm, theta), 1e-12)
		if c.Utility(arm, theta) > c.Utility(best, theta) {
			best = arm
		}
		changes := p.Changes(arm)
		if len(changes) != 2+1+3 {
			t.Errorf("%d changes", len(changes))
		}
		for _, other := range changes {
			differ := 0
			for g, option := range p.Options(other) {
				if option != p.Options(arm)[g] {
					differ++
				}
			}
			if differ != 1 {
				t.Errorf("%q is a change of %q", c.ID(other), c.ID(arm))
			}
		}
	}
	if got := p.Best(p.Utilities(theta)); got != best {
		t.Errorf("best is %d, by enumeration %d", got, best)
	}
	for _, id := range []string{"", "price=1", "price=1, wifi=no", "price=1, wifi=no, e", "price=1, wifi=no, a, a"} {
		if _, ok := c.Index(id); ok {
			t.Errorf("%q was found", id)
		}
	}
}

// The whitened product is the whitened enumeration: the same distances.
func TestProductWhitensLikeItsProfiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	c := smallProduct(t, rng)
	ids, rows := make([]string, c.Len()), make([][]float64, c.Len())
	for arm := range rows {
		ids[arm], rows[arm] = c.ID(arm), c.Arm(arm)
	}
	listed := must(choice.NewCatalogue(ids, c.Features(), rows))
	white := must(choice.Whiten(c))
	other := must(choice.Whiten(listed))
	if white.Product() == nil || white.Dim() != other.Dim() {
		t.Fatalf("%d coordinates, by enumeration %d", white.Dim(), other.Dim())
	}
	distance := func(c *choice.Catalogue, i, j int) float64 {
		sum := 0.0
		for k, x := range c.Arm(i) {
			sum += (x - c.Arm(j)[k]) * (x - c.Arm(j)[k])
		}
		return sum
	}
	for i := range c.Len() {
		for j := range i {
			approx.Equal(t, "distance", distance(white, i, j), distance(other, i, j), 1e-9)
		}
	}
	for _, square := range white.MeanSquares() {
		approx.Equal(t, "mean square", square, 1, 1e-9)
	}
}

func TestProductRefusals(t *testing.T) {
	two := func(name string) choice.Group {
		return choice.Group{Features: []string{name}, Options: []string{"x", "y"}, Rows: [][]float64{{0}, {1}}}
	}
	var thirty []choice.Group
	for i := range 30 {
		thirty = append(thirty, two(strings.Repeat("f", i+1)))
	}
	nan := two("a")
	nan.Rows = [][]float64{{0}, {math.NaN()}}
	ragged := two("a")
	ragged.Rows = [][]float64{{0}, {1, 2}}
	twice := two("a")
	twice.Options = []string{"x", "x"}
	for says, groups := range map[string][]choice.Group{
		"at most 1000000000 profiles":     thirty,
		"at least one feature":            nil,
		`two features are called`:         {two("a"), two("a")},
		"not a finite number":             {nan},
		"2 values for 1 features":         {ragged},
		`option "x" is empty or repeated`: {twice},
		`option "x, y" begins with option "x"`: {{
			Features: []string{"a"}, Options: []string{"x", "x, y"},
			Rows: [][]float64{{0}, {1}},
		}},
		"0 options for 0 rows": {{}},
		"at least two arms":    {{Features: []string{"a"}, Options: []string{"x"}, Rows: [][]float64{{1}}}},
	} {
		if _, err := choice.NewProduct(groups); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestFirstArms: the first arms are what they were, to the bit, and the others are not there.
func TestFirstArms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		all := rapid.IntRange(2, 300).Draw(t, "arms")
		n := rapid.IntRange(2, all).Draw(t, "first")
		narrow, wide := denseCatalogue(t, rng, all, 3)
		theta := []float64{0.3, -1.7, math.Pi}
		for _, c := range []*choice.Catalogue{narrow, wide} {
			first := c.First(n)
			if first.Len() != n || !slices.Equal(first.Features(), c.Features()) {
				t.Fatalf("%d arms of %d", first.Len(), n)
			}
			products, ours := make([]float64, all), make([]float64, n)
			c.Multiply(products, theta)
			first.Multiply(ours, theta)
			if !slices.Equal(ours, products[:n]) {
				t.Errorf("utilities %v, they were %v", ours, products[:n])
			}
			for i := range all {
				at, there := first.Index(c.ID(i))
				if there != (i < n) || there && at != i {
					t.Fatalf("arm %d of the first %d: at %d, %v", i, n, at, there)
				}
				if there && (first.ID(i) != c.ID(i) || !slices.Equal(first.Arm(i), c.Arm(i))) {
					t.Fatalf("arm %d has changed", i)
				}
			}
			if again := first.First(2); again.Len() != 2 || !slices.Equal(again.Arm(1), c.Arm(1)) {
				t.Error("the first of the first are others")
			}
		}
	})
}

func TestAllArmsAreTheCatalogueItself(t *testing.T) {
	narrow, wide := denseCatalogue(t, rand.New(rand.NewPCG(1, 1)), 5, 2)
	for _, c := range []*choice.Catalogue{narrow, wide, product(t)} {
		if c.First(c.Len()) != c {
			t.Errorf("all of %d arms are another catalogue", c.Len())
		}
	}
}

func TestNoSuchFirstArms(t *testing.T) {
	_, c := denseCatalogue(t, rand.New(rand.NewPCG(1, 1)), 5, 2)
	for says, misuse := range map[string]func(){
		"choice: cannot take the first 1 of 5 arms":          func() { c.First(1) },
		"choice: cannot take the first 6 of 5 arms":          func() { c.First(6) },
		"choice: cannot take the first 3 of 4 computed arms": func() { product(t).First(3) },
	} {
		func() {
			defer func() {
				if message := fmt.Sprint(recover()); !strings.HasPrefix(message, says) {
					t.Errorf("got %q, want %q", message, says)
				}
			}()
			misuse()
		}()
	}
}

// product is four profiles of two groups.
func product(t *testing.T) *choice.Catalogue {
	t.Helper()
	var groups []choice.Group
	for _, name := range []string{"x", "y"} {
		groups = append(groups, choice.Group{
			Features: []string{name}, Options: []string{name + "1", name + "2"},
			Rows: [][]float64{{-1}, {1}},
		})
	}
	return must(choice.NewProduct(groups))
}

package choice_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

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

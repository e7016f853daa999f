package choice_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bestpick/choice"
)

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

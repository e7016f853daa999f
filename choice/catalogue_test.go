package choice_test

import (
	"errors"
	"math"
	"strings"
	"testing"

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

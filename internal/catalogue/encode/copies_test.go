package encode

import (
	"cmp"
	"slices"
	"testing"

	"bestpick/choice"
)

// TestNearCopies: names that differ in case and spaces, and features that are nearly equal, are near copies. They are
// named by their labels, and by their ids where labels are the same.
func TestNearCopies(t *testing.T) {
	c, err := choice.NewCatalogue([]string{"Red lamp", "red  Lamp", "orb", "reed", "fold"}, []string{"x"},
		[][]float64{{0}, {1}, {1.0002}, {0.5}, {0.5}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ labels, want []string }{
		{nil, []string{"Red lamp / red  Lamp", "red  Lamp / orb"}},
		{[]string{"A", "B", "C", "", "B"}, []string{"red  Lamp / fold", "B / C"}},
	} {
		name := func(arm int) string { return cmp.Or(append(test.labels, make([]string, c.Len())...)[arm], c.ID(arm)) }
		if got := nearCopies(c, name); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q", test.labels, got)
		}
	}
}

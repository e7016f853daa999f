package encode

import (
	"slices"
	"testing"

	"bestpick/choice"
)

// TestNearCopies: names that differ in case and spaces, and features that are nearly equal, are near copies.
func TestNearCopies(t *testing.T) {
	c, err := choice.NewCatalogue([]string{"Red lamp", "red  Lamp", "orb", "reed", "fold"}, []string{"x"},
		[][]float64{{0}, {1}, {1.0002}, {0.5}, {0.5}})
	if err != nil {
		t.Fatal(err)
	}
	if got := nearCopies(c); !slices.Equal(got, []string{"Red lamp / red  Lamp", "red  Lamp / orb"}) {
		t.Errorf("%q", got)
	}
}

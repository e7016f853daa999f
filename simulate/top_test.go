package simulate_test

import (
	"testing"

	"bestpick/choice"
	"bestpick/simulate"
)

// TestIsTop: the order matters in a ranking of all arms only.
func TestIsTop(t *testing.T) {
	c, err := choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x"}, [][]float64{{1}, {0.9}, {0}})
	if err != nil {
		t.Fatal(err)
	}
	in := simulate.Instance{Catalogue: c, Theta: []float64{1}}
	for _, test := range []struct {
		top     []int
		epsilon float64
		want    bool
	}{
		{[]int{0}, 0, true},
		{[]int{1}, 0, false},
		{[]int{1}, 0.1, true},
		{[]int{1, 0}, 0, true},
		{[]int{0, 2}, 0.5, false},
		{[]int{0, 2}, 0.9, true},
		{[]int{0, 1, 2}, 0, true},
		{[]int{1, 0, 2}, 0, false},
		{[]int{1, 0, 2}, 0.1, true},
		{[]int{0, 2, 1}, 0.1, false},
	} {
		if got := in.IsTop(test.top, test.epsilon); got != test.want {
			t.Errorf("%v within %v: %v", test.top, test.epsilon, got)
		}
	}
}

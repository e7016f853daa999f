//go:build long

package simulate_test

import (
	"testing"

	"bestpick/choice"
	"bestpick/strategy"
)

// TestLongWeights: with 80% of the people of one group, where the population has as many of both, a weighted race is
// wrong in at most δ of 400 studies, also where it withstands two fakes. It logs what weights cost where an unweighted
// race is right, too.
func TestLongWeights(t *testing.T) {
	const runs = 400
	for _, second := range seconds() {
		for _, fakes := range []int{0, 2} {
			wrong, certified := skewed{second: second, weighted: true, fakes: fakes, people: 150}.wrong(t, runs)
			without, _ := skewed{second: second, fakes: fakes, people: 150}.wrong(t, runs/10)
			t.Logf("%v, %d fakes: %d of %d wrong, %d certified; without weights %d of %d wrong", second, fakes, wrong, runs,
				certified, without, runs/10)
			if float64(wrong) > attackDelta*runs {
				t.Errorf("%v, %d fakes: %d of %d studies are wrong", second, fakes, wrong, runs)
			}
		}
	}
	c, err := choice.NewNames([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	for _, second := range [][2]float64{{0.2, 0.2}, {0.1, 0.4}, {0.4, 0.1}} {
		people := map[bool]float64{}
		for _, weighted := range []bool{false, true} {
			for seed := range uint64(runs / 4) {
				v, n := skewed{second: second, weighted: weighted, people: 2000}.run(t, c, seed)
				if v.Status != strategy.Certified || v.Leader != 0 {
					t.Errorf("%v, weighted %v: %v", second, weighted, v.Status)
				}
				people[weighted] += float64(n) / (runs / 4)
			}
		}
		t.Logf("%v: %.0f people without weights, %.2f times as many with", second, people[false], people[true]/people[false])
	}
}

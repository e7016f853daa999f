package simulate_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

// A skewed study has people of two groups, 80% of them of the first one, where the population has as many of both. In
// each group a share of the people choose the second arm of three over the first, and all choose these two over the third.
type skewed struct {
	second   [2]float64 // share of each group
	weighted bool
	fakes    int // that the race withstands
	people   int // at most
}

// run returns the verdict, and after how many people.
func (k skewed) run(t *testing.T, c *choice.Catalogue, seed uint64) (strategy.Verdict, int) {
	t.Helper()
	names := []string{"north", "south"}
	settings := majority.Settings{K: 2, Delta: attackDelta, Epsilon: 0.2, Segments: names, Fakes: k.fakes, Seed: seed}
	if k.weighted {
		settings.Weights = []float64{1, 1}
	}
	race, err := majority.New(c, settings)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 43))
	var hands strategy.Hands
	for person := range k.people {
		group := 0
		if rng.Float64() < 0.2 {
			group = 1
		}
		wish := []float64{1, 0, -1}
		if rng.Float64() < k.second[group] {
			wish = []float64{0, 1, -1}
		}
		hand, err := hands.Deal(race, strconv.Itoa(person), names[group], attackEach)
		if err != nil {
			t.Fatal(err)
		}
		for _, card := range hand {
			best := 0
			if wish[card.Question[1]] > wish[card.Question[0]] {
				best = 1
			}
			if err := hands.Tell(race, card, []int{best}); err != nil {
				t.Fatal(err)
			}
			if v := race.Verdict(); v.Status != strategy.Asking {
				return v, person + 1
			}
		}
	}
	return race.Verdict(), k.people
}

// wrong counts the studies that certify the first arm, which 55% or more of the population choose the second over, or
// prove that fewer do. It also counts the studies that certify any arm.
func (k skewed) wrong(t *testing.T, runs int) (wrong, certified int) {
	t.Helper()
	c, err := choice.NewNames([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(runs) {
		v, _ := k.run(t, c, seed)
		if v.Status == strategy.Certified {
			certified++
		}
		if v.Status == strategy.Certified && v.Leader != 1 || v.Proven.Arm == 0 && v.Proven.Share > 0 && v.Proven.Share < 0.55-1e-9 {
			wrong++
		}
	}
	return wrong, certified
}

// seconds has the shares of the two groups who choose the second arm: exactly 55% of the population, and 56%.
func seconds() [][2]float64 {
	return [][2]float64{{0.25, 0.85}, {0.85, 0.25}, {0.65, 0.45}, {0.3, 0.82}}
}

// TestWeights: where the groups of the sample are not in proportion, a weighted race certifies a wrong arm in at most δ
// of the studies. Of 20 more than 5 have a probability of 1.1% at most. Without weights most are wrong.
func TestWeights(t *testing.T) {
	for _, second := range seconds() {
		if wrong, _ := (skewed{second: second, weighted: true, people: 150}).wrong(t, 20); wrong > 5 {
			t.Errorf("%v: %d of 20 studies", second, wrong)
		}
	}
	if wrong, _ := (skewed{second: seconds()[0], people: 150}).wrong(t, 20); wrong < 10 {
		t.Errorf("%d of 20 studies without weights are wrong", wrong)
	}
	agree := skewed{second: [2]float64{0.9, 0.7}, weighted: true, fakes: 2, people: 400}
	if wrong, certified := agree.wrong(t, 10); wrong > 0 || certified < 10 {
		t.Errorf("where groups agree, %d of 10 studies are certified and %d wrong", certified, wrong)
	}
}

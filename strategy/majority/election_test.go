package majority

import (
	"math"
	"testing"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/internal/approx"
)

// TestBetsIgnoreOwnVotes: the bet on a respondent's choices between two arms does not depend on the
// same respondent's choices between others. Arm 2 is compared with the nominee in the same way in all
// of these answers; how arm 1 fares must not change the capital against arm 2.
func TestBetsIgnoreOwnVotes(t *testing.T) {
	c, err := choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}, {-1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	made := newArms(c, Settings{K: 2, Epsilon: 0.2, Delta: 0.1, Share: 1})
	capital := func(slot int) float64 {
		belief := evidence.NewBelief(c.Dim())
		var e election
		e.support(&made, 0, 1, 10)
		for range 3 {
			e.enter(&made, c, &belief, []choice.Answer{
				{Question: choice.Question{0, 1}, Picks: []int{0}},
				{Question: choice.Question{0, 1}, Picks: []int{slot}},
				{Question: choice.Question{0, 2}, Picks: []int{0}},
				{Question: choice.Question{0, 2}, Picks: []int{0}},
			})
			e.Excess, e.Entries = 0, 0 // what respondents before did may matter
		}
		return e.find(0).Log(2)
	}
	if a, b := capital(0), capital(1); a != b || math.IsNaN(a) || !(a > math.Log(investShare)) {
		t.Errorf("the log of the capital is %v, and %v if the respondent chooses the other arm elsewhere", a, b)
	}
}

// TestInvestments: never more than the whole capital is invested, whichever arm leads, and an arm that is
// not credible gets none.
func TestInvestments(t *testing.T) {
	c, err := choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x"}, [][]float64{{1}, {0}, {-1}})
	if err != nil {
		t.Fatal(err)
	}
	made := newArms(c, Settings{K: 2, Delta: 0.1, Share: 1})
	var e election
	e.support(&made, 1, firstCredible/2, 10)
	if len(e.Nominees) != 0 {
		t.Error("an arm that is not credible was nominated")
	}
	for answers := range 3000 {
		e.support(&made, answers%3, math.Pow(1.1, float64(answers%200)), answers)
	}
	e.support(&made, 0, math.Inf(1), 10_000)
	sum := 0.0
	for _, n := range e.Nominees {
		for _, part := range n.Investments {
			sum += part.Weight
		}
	}
	approx.Equal(t, "invested", sum, e.Invested, 1e-9)
	if !(sum > 0.9 && sum <= 1) {
		t.Errorf("invested %v", sum)
	}
}

package majority

import (
	"math"
	"testing"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/internal/approx"
)

// TestStakesIgnoreOwnAnswers: the stakes on a person rest on the answers before the arrival, so no answer of
// the person changes them, and how arm 1 fares with a person does not change the capital against arm 2.
// Answers of others who have not finished do change stakes.
func TestStakesIgnoreOwnAnswers(t *testing.T) {
	c := threeArms(t)
	made := newArms(c, Settings{K: 2, Epsilon: 0.2, Delta: 0.1, Share: 1})
	belief := evidence.NewBelief(c.Dim())
	guide := Guide{Rows: c, Belief: &belief, Picks: 1}
	cards := []choice.Question{{0, 1}, {0, 1}, {0, 2}, {0, 2}}
	capital := func(slot int) (log float64, stakes []float64) {
		e := newElection(3)
		e.support(&made, 0, 1, 10, 0)
		var p people
		for range 3 {
			h, _ := p.arrive("", "", cards)
			e.bet(&made, h, guide)
		}
		for arrival := 1; arrival <= 3; arrival++ {
			for i, q := range cards {
				a := choice.Answer{Question: q, Picks: []int{0}}
				if i == 1 {
					a.Picks[0] = slot
				}
				e.count(arrival, a)
			}
		}
		h, _ := p.arrive("", "", cards)
		e.bet(&made, h, guide) // the others have answered, and not ended
		for _, rival := range []int{1, 2} {
			for _, b := range e.find(0).Rivals[rival].Bets {
				stakes = append(stakes, b.Stake)
			}
		}
		e.settle(&made, 0)
		return e.find(0).Rivals[2].Highest[0], stakes
	}
	log0, stakes0 := capital(0)
	log1, stakes1 := capital(1)
	if log0 != log1 || !(log0 > math.Log(investShare)) {
		t.Errorf("the log of the capital is %v, and %v if people choose the other arm elsewhere", log0, log1)
	}
	for i, other := range []int{0, 0, 0, 1, 0, 0, 0, 0} { // by rival, the last arrival last
		if differs := stakes0[i] != stakes1[i]; differs != (other == 1) {
			t.Errorf("stake %d is %v, and %v with other answers", i, stakes0[i], stakes1[i])
		}
	}
}

// TestInvestments: never more than the whole capital is invested, whichever arm leads, and an arm that is
// not credible gets none.
func TestInvestments(t *testing.T) {
	c := threeArms(t)
	made := newArms(c, Settings{K: 2, Delta: 0.1, Share: 1})
	e := newElection(3)
	e.support(&made, 1, firstCredible/2, 10, 10)
	if len(e.Nominees) != 0 {
		t.Error("an arm that is not credible was nominated")
	}
	for answers := range 3000 {
		e.support(&made, answers%3, math.Pow(1.1, float64(answers%200)), answers, answers)
	}
	e.support(&made, 0, math.Inf(1), 10_000, 10_000)
	e.settle(&made, 10_000)
	sum := 0.0
	for _, n := range e.Nominees {
		sum += n.Invested
	}
	approx.Equal(t, "invested", sum, e.Invested, 1e-9)
	if !(sum > 0.9 && sum <= 1) {
		t.Errorf("invested %v", sum)
	}
}

// TestWithdrawnRivalsNeedMore: as long as all rivals are refuted at the usual threshold, nothing more is
// needed; if one that is not refuted is withdrawn, the others need their own part of δ.
func TestWithdrawnRivalsNeedMore(t *testing.T) {
	c := threeArms(t)
	made := newArms(c, Settings{K: 2, Delta: 0.1, Share: 1})
	e := newElection(3)
	n := e.nominate(&made, 0)
	set := func(rival int, log float64) { n.Rivals[rival].Highest[0] = log }
	elected := func() bool { _, ok := e.elected(&made); return ok }
	set(1, made.threshold())
	set(2, made.threshold())
	if !elected() {
		t.Error("not elected although all rivals are refuted")
	}
	made.withdrawn = []int{2}
	if !elected() {
		t.Error("not elected although the withdrawn rival is refuted")
	}
	set(2, 0)
	if elected() {
		t.Error("elected although the withdrawn rival may be the one that beats it")
	}
	set(1, e.thresholdAlone(&made, 1))
	if !elected() {
		t.Error("not elected by the part of δ of the rival")
	}
	total := 0.0
	for rival := range 1000 {
		total += math.Exp(-e.thresholdAlone(&made, rival))
	}
	if !(total <= made.delta*withdrawalShare) {
		t.Errorf("all parts of δ are %v", total)
	}
}

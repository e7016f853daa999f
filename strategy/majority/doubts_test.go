package majority

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/strategy"
)

// TestDifferIsFair: if two groups of people choose with the same probability, the mean of the evidence that they
// differ is at most 1, by an exact sum, whichever probability it is. Where they differ it is large.
func TestDifferIsFair(t *testing.T) {
	const some, others = 7, 12
	for _, p := range []float64{0.01, 0.3, 0.5, 0.9} {
		mean := 0.0
		for a := range some + 1 {
			for b := range others + 1 {
				chance := binomial(some, a, p) * binomial(others, b, p)
				mean += chance * math.Exp(differ(votes{float64(a), float64(some - a)}, votes{float64(b), float64(others - b)}))
			}
		}
		if !(mean <= 1 && mean > 0.01) {
			t.Errorf("at %v the mean is %v", p, mean)
		}
	}
	if log := differ(votes{18, 2}, votes{5, 25}); !(log > 8) {
		t.Errorf("18 of 20 and 5 of 30 people: %v", log)
	}
}

func binomial(n, k int, p float64) float64 {
	chance := math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
	for i := range k {
		chance *= float64(n-i) / float64(i+1)
	}
	return chance
}

// TestTestimony: a person chooses something first, and something most often, else the first; a question without an answer before
// another answer is skipped, and after the last one the person has left.
func TestTestimony(t *testing.T) {
	h := Hand{
		Cards: []choice.Question{{0, 1}, {0, 1, 2}, {2, 0, 1}, {0, 2}, {1, 0}},
		Picks: [][]int{{1}, nil, {0, 2}, {0}, nil},
	}
	seen := testify(h, 0, 1)
	if want := (testimony{
		decided: true, left: true, skipped: true, pairs: votes{1, 0},
		slates: votes{1, 0},
	}); seen != want {
		t.Errorf("%+v, want %+v", seen, want)
	}
	if seen = testify(h, 0, 2); !seen.decided || seen.often != 0 || seen.pairs != (votes{0, 1}) || seen.slates != (votes{1, 0}) {
		t.Errorf("a tie: %+v", seen)
	}
	h.Picks = [][]int{{1}, {0, 1}, {1, 0}, nil, {1}}
	if seen = testify(h, 0, 1); seen.first != 0 || seen.often != 1 || seen.left || seen.skipped {
		t.Errorf("most often: %+v", seen)
	}
	if seen = testify(Hand{Cards: h.Cards[:2], Picks: [][]int{nil, {2}}}, 0, 1); seen.decided {
		t.Errorf("neither: %+v", seen)
	}
}

// TestRandomLeaversRaiseNoDoubt: half of the people leave after one answer, whatever it is, and choices vary, so that what
// others choose most often is clearer. At most one of five studies is doubtful. If it were one of five, 200 studies would have
// 40, with a standard deviation of 5.7: 57 are too many.
func TestRandomLeaversRaiseNoDoubt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	about, doubtful := newArms(threeArms(t), Settings{K: 2, Delta: 0.1, Share: 1}), 0
	for range 200 {
		e, d := newElection(3), doubts{}
		e.nominate(&about, 0)
		for arrival := 1; arrival <= 300; arrival++ {
			h := Hand{Arrival: arrival, Cards: slices.Repeat([]choice.Question{{0, 1}}, 9), Picks: make([][]int, 9), Answered: 9}
			if rng.IntN(2) == 0 {
				h.Answered = 1
			}
			for i := range h.Answered {
				h.Picks[i] = []int{0}
				if rng.Float64() < 0.31 {
					h.Picks[i] = []int{1}
				}
			}
			d.end(h)
		}
		if d.settle(&about, &e, 300); len(d.Found) > 0 {
			doubtful++
		}
	}
	if doubtful > 57 {
		t.Errorf("%d of 200 studies are doubtful", doubtful)
	}
}

// TestDoubtsArriveInOrder: people count in the order of arrival, once all before have ended, and a change of what they
// choose is a doubt with its size.
func TestDoubtsArriveInOrder(t *testing.T) {
	c := threeArms(t)
	about, e := newArms(c, Settings{K: 2, Delta: 0.1, Share: 1}), newElection(3)
	e.nominate(&about, 0)
	var d doubts
	for arrival := 80; arrival > 0; arrival-- {
		pick := []int{0}
		if arrival > 34 {
			pick = []int{1}
		}
		d.end(Hand{Arrival: arrival, Cards: []choice.Question{{0, 1}}, Picks: [][]int{pick}, Answered: 1})
	}
	d.settle(&about, &e, 30)
	if len(d.Waiting) != 50 || len(d.Found) != 0 {
		t.Errorf("%d wait, doubts %+v", len(d.Waiting), d.Found)
	}
	d.settle(&about, &e, 80)
	found := d.Found
	if len(found) != 1 || found[0].About != strategy.Drift || found[0].Arm != 0 || found[0].Rival != 1 || found[0].Chosen < 0.9 ||
		found[0].Otherwise > 0.1 {
		t.Errorf("%+v", found)
	}
	if found = d.unchecked(20, false); len(found) != 1 || found[0].About != strategy.FewPeople {
		t.Errorf("few people: %+v", found)
	}
	if found = d.unchecked(140, false); len(found) != 0 {
		t.Errorf("many people: %+v", found)
	}
}

// TestSlates: capitals bet that slates and pairs differ, about the two arms that a person compared most often in
// both ways. They grow if slates differ from pairs.
func TestSlates(t *testing.T) {
	about, e := newArms(threeArms(t), Settings{K: 3, Delta: 0.1, Share: 1}), newElection(3)
	e.nominate(&about, 0)
	for _, differ := range []bool{false, true} {
		var d doubts
		for i := range 400 {
			slate, pair := []int{i % 2, 2}, []int{i / 2 % 2}
			if differ {
				slate, pair = []int{one(i%4 > 0), 2}, []int{one(i%4 > 2)}
			}
			d.end(Hand{
				Arrival: i + 1, Answered: 4, Cards: []choice.Question{{0, 1, 2}, {0, 1, 2}, {0, 1}, {0, 1}},
				Picks: [][]int{slate, slate, pair, pair},
			})
		}
		d.settle(&about, &e, 400)
		at := slices.IndexFunc(d.Found, func(f strategy.Doubt) bool { return f.About == strategy.Slates })
		if !differ {
			if at >= 0 || !(d.Slates[0] < 0.5 && d.Slates[1] < 0.5) || len(d.unchecked(140, true)) > 0 {
				t.Errorf("without a difference: %+v, logs %v", d.Found, d.Slates)
			}
			continue
		}
		if at < 0 {
			t.Fatalf("with a difference: %+v, logs %v", d.Found, d.Slates)
		}
		f := d.Found[at]
		if f.Arm != 0 || f.Rival != 1 || f.People != 400 {
			t.Errorf("%+v", f)
		}
		if few := (&doubts{}).unchecked(140, true); len(few) != 1 || few[0].About != strategy.FewSlates {
			t.Errorf("without slates: %+v", few)
		}
		approx.Equal(t, "share of pairs", f.Chosen, 0.25, 1e-9)
		approx.Equal(t, "share of slates", f.Otherwise, 0.75, 1e-9)
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

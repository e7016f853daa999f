package choice_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// randomOffered asks about 3 or 4 different arms of n and answers in any way that is offered.
func randomOffered(rng *rand.Rand, n int, o choice.Offer) choice.Answer {
	a := choice.Answer{Question: rng.Perm(n)[:3+rng.IntN(2)]}
	switch kind := rng.IntN(4); {
	case kind == 0 && o.Outside:
		a.Picks = []int{choice.None}
	case kind == 1 && o.Ties:
		a.Picks = []int{choice.Tie}
	default:
		a.Picks = rng.Perm(len(a.Question))[:2]
	}
	return a
}

// offerTwin expands answers by hand: into picks between options with the constants as indicators.
func offerTwin(t testing.TB, rng *rand.Rand, name string, o choice.Offer) twin {
	t.Helper()
	const n, d = 7, 3
	c := randomCatalogue(t, rng, n, d)
	x := choice.NewAlternatives(c, o)
	width := x.Rows().Dim()
	option := func(scale, none, tie float64, arms ...int) []float64 {
		row := make([]float64, width)
		for _, arm := range arms {
			for k, value := range c.Arm(arm) {
				row[k] += scale * value
			}
		}
		if o.Outside {
			row[d] = none
		}
		if o.Ties {
			row[width-1] = tie
		}
		return row
	}
	tally, plain := choice.NewTally(x.Rows().Len()), plainPicks{}
	for range 90 {
		a := randomOffered(rng, n, o)
		if err := x.Count(tally, a); err != nil {
			t.Fatal(err)
		}
		first := plainPick{weight: 1, pick: a.Picks[0]}
		for _, arm := range a.Question {
			first.options = append(first.options, option(1, 0, 0, arm))
		}
		if o.Outside {
			if a.Picks[0] == choice.None {
				first.pick = len(first.options)
			}
			first.options = append(first.options, option(0, 1, 0))
		}
		if o.Ties {
			if a.Picks[0] == choice.Tie {
				first.pick = len(first.options)
			}
			first.options = append(first.options, option(1/float64(len(a.Question)), 0, 1, a.Question...))
		}
		plain = append(plain, first)
		if a.Picks[0] < 0 {
			continue
		}
		second := plainPick{weight: 1}
		for slot, arm := range a.Question {
			sign := 1.0
			if o.BestWorst {
				sign = -1
			}
			if slot == a.Picks[1] {
				second.pick = len(second.options)
			}
			if slot != a.Picks[0] {
				second.options = append(second.options, option(sign, 0, 0, arm))
			}
		}
		plain = append(plain, second)
	}
	return twin{name: name, likelihood: choice.NewLinear(x.Rows(), tally), plain: plain}
}

// logProbability returns the log of the probability of an answer by the formulas of the models, given the
// utilities of the arms shown and the two constants.
func logProbability(o choice.Offer, u, picks []float64, none, tie float64) float64 {
	total := 0.0
	for _, x := range u {
		total += math.Exp(x)
	}
	geometric := 1.0
	for _, x := range u {
		geometric *= math.Pow(math.Exp(x), 1/float64(len(u)))
	}
	if o.Outside {
		total += math.Exp(none)
	}
	if o.Ties {
		total += math.Exp(tie) * geometric
	}
	best := int(picks[0])
	switch best {
	case choice.None:
		return math.Log(math.Exp(none) / total)
	case choice.Tie:
		return math.Log(math.Exp(tie) * geometric / total)
	}
	log := math.Log(math.Exp(u[best]) / total)
	if !o.BestWorst {
		return log
	}
	rest := 0.0
	for slot, x := range u {
		if slot != best {
			rest += 1 / math.Exp(x)
		}
	}
	return log + math.Log(1/math.Exp(u[int(picks[1])])/rest)
}

// TestOffersFollowTheirFormulas compares the likelihood of single answers with the formulas: Davidson's
// for ties of two arms, π_1π_2 under the root, and its extension; the softmax of −u for the worst arm. Utilities
// are of size 5, so that a handful of exponentials rounds to 1e-13.
func TestOffersFollowTheirFormulas(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	c := randomCatalogue(t, rng, 6, 2)
	for _, o := range []choice.Offer{
		{Outside: true},
		{Ties: true},
		{BestWorst: true},
		{Outside: true, Ties: true},
		{Outside: true, Ties: true, BestWorst: true},
	} {
		x := choice.NewAlternatives(c, o)
		for range 200 {
			theta := randomVector(rng, x.Rows().Dim(), 2)
			var none, tie float64
			if o.Outside {
				none = theta[2]
			}
			if o.Ties {
				tie = theta[len(theta)-1]
			}
			a := randomOffered(rng, 6, o)
			switch {
			case !o.BestWorst && rng.IntN(2) == 0:
				a.Question, a.Picks = a.Question[:2], []int{min(a.Picks[0], 1)} // pairs: Davidson's model
			case !o.BestWorst:
				a.Picks = a.Picks[:1]
			}
			if err := o.Check(a, 6); err != nil {
				t.Fatal(err)
			}
			tally := choice.NewTally(x.Rows().Len())
			if err := x.Count(tally, a); err != nil {
				t.Fatal(err)
			}
			u := c.Utilities(nil, a.Question, theta[:2])
			picks := make([]float64, len(a.Picks))
			for i, pick := range a.Picks {
				picks[i] = float64(pick)
			}
			got := choice.NewLinear(x.Rows(), tally).LogLikelihood(theta)
			approx.Equal(t, "log-likelihood", got, logProbability(o, u, picks, none, tie), 1e-11)
		}
	}
}

// TestRowsSurviveNewArms: a row has the same features before and after arms are added.
func TestRowsSurviveNewArms(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	all := randomCatalogue(t, rng, 40, 3)
	o := choice.Offer{Outside: true, Ties: true, BestWorst: true}
	before, after := choice.NewAlternatives(all.First(12), o), choice.NewAlternatives(all, o)
	for range 300 {
		a := randomOffered(rng, 12, o)
		for stage := range before.Stages(a) {
			for _, row := range stage.Rows {
				if row >= before.Rows().Len() {
					t.Fatalf("row %d of %d", row, before.Rows().Len())
				}
				approx.EqualSlices(t, "row", after.Rows().Arm(row), before.Rows().Arm(row), 0)
			}
		}
	}
}

// TestTiesOfDifferentSetsDiffer: every set of arms has a row of its own, which is the mean of its arms.
func TestTiesOfDifferentSetsDiffer(t *testing.T) {
	c := randomCatalogue(t, rand.New(rand.NewPCG(25, 26)), 9, 2)
	x := choice.NewAlternatives(c, choice.Offer{Ties: true})
	rows := map[int]bool{}
	for set := range 1 << 9 {
		var q choice.Question
		mean := []float64{0, 0, 1}
		for arm := range 9 {
			if set>>arm&1 == 1 {
				q = append(q, arm)
			}
		}
		if len(q) < 2 {
			continue
		}
		for _, arm := range q {
			for k, value := range c.Arm(arm) {
				mean[k] += value / float64(len(q))
			}
		}
		slices.Reverse(q)
		for stage := range x.Stages(choice.Answer{Question: q, Picks: []int{choice.Tie}}) {
			row := stage.Rows[stage.Picked]
			if rows[row] {
				t.Fatalf("the tie of %v has the row %d of another set", q, row)
			}
			rows[row] = true
			approx.EqualSlices(t, "mean", x.Rows().Arm(row), mean, 1e-15)
		}
	}
	if len(rows) != 1<<9-1-9 {
		t.Errorf("%d sets, want %d", len(rows), 1<<9-1-9)
	}
}

func TestOfferRefusesAnswers(t *testing.T) {
	q := choice.Question{3, 1, 2}
	for name, wrong := range map[string]struct {
		offer  choice.Offer
		answer choice.Answer
	}{
		"none, not offered":     {choice.Offer{Ties: true, BestWorst: true}, choice.Answer{Question: q, Picks: []int{choice.None}}},
		"a tie, not offered":    {choice.Offer{Outside: true}, choice.Answer{Question: q, Picks: []int{choice.Tie}}},
		"none and an arm":       {choice.Offer{Outside: true}, choice.Answer{Question: q, Picks: []int{choice.None, 1}}},
		"an arm and none":       {choice.Offer{Outside: true}, choice.Answer{Question: q, Picks: []int{1, choice.None}}},
		"three of best-worst":   {choice.Offer{BestWorst: true}, choice.Answer{Question: q, Picks: []int{0, 1, 2}}},
		"the best as the worst": {choice.Offer{BestWorst: true}, choice.Answer{Question: q, Picks: []int{1, 1}}},
		"no pick":               {choice.Offer{Outside: true}, choice.Answer{Question: q}},
		"ties of copies":        {choice.Offer{Ties: true}, choice.Answer{Question: choice.Question{1, 2, 1}, Picks: []int{0}}},
		"an arm that is unknown": {
			choice.Offer{Outside: true},
			choice.Answer{Question: choice.Question{1, 9}, Picks: []int{choice.None}},
		},
	} {
		if wrong.offer.Check(wrong.answer, 5) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for _, o := range []struct {
		offer choice.Offer
		n, k  int
	}{{choice.Offer{BestWorst: true}, 10, 2}, {choice.Offer{Ties: true}, 100, 10}, {choice.Offer{Ties: true}, 1_000_000, 4}} {
		if o.offer.CheckQuestions(o.n, o.k) == nil {
			t.Errorf("%+v accepts questions of %d of %d arms", o.offer, o.k, o.n)
		}
	}
	if err := (choice.Offer{Ties: true}).CheckQuestions(100_000, 3); err != nil {
		t.Error(err)
	}
}

package evidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// person is how one kind of people chooses between the rival, the nominee and others: the
// probabilities of the first two, for each of two questions.
type person [2][2]float64

// expected returns the mean of 1 + λg of one respondent over a population, each kind equally
// likely, who is asked the questions that plan returns from the choices so far.
func expected(kinds []person, points, lambda float64, plan func(choices []int) (question int, ok bool)) float64 {
	total := 0.0
	var follow func(kind person, choices []int, probability float64)
	follow = func(kind person, choices []int, probability float64) {
		q, ok := plan(choices)
		if !ok {
			v := Votes{Shown: len(choices)}
			for _, c := range choices {
				v.Rival += [...]int{1, 0, 0}[c]
				v.Nominee += [...]int{0, 1, 0}[c]
			}
			total += probability * (1 + lambda*v.Payoff(points)) / float64(len(kinds))
			return
		}
		for c, p := range []float64{kind[q][0], kind[q][1], 1 - kind[q][0] - kind[q][1]} {
			if p > 0 {
				follow(kind, append(slices.Clip(choices), c), probability*p)
			}
		}
	}
	for _, kind := range kinds {
		follow(kind, nil, 1)
	}
	return total
}

// polarised is a population in which each person always chooses the same, and half choose the rival:
// with a tolerance of 0 the hypothesis holds with equality.
func polarised() []person { return []person{{{1, 0}, {1, 0}}, {{0, 1}, {0, 1}}} }

// TestMajorityIsFair: for any people and any fixed questions the capital does not grow under the
// hypothesis, by an exact sum over all answers.
func TestMajorityIsFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		points := 0.3 * rng.Float64()
		var kinds []person
		for range 1 + rng.IntN(4) {
			var kind person
			for q := range kind {
				a, b := rng.Float64(), rng.Float64()
				kind[q] = [2]float64{a * b, a * (1 - b)}
			}
			kinds = append(kinds, kind)
		}
		// The least tolerance at which the hypothesis fails for neither question.
		for q := range 2 {
			var rival, either float64
			for _, kind := range kinds {
				rival, either = rival+kind[q][0], either+kind[q][0]+kind[q][1]
			}
			points = min(points, rival/either-0.5)
		}
		n := 1 + rng.IntN(4)
		order := []int{rng.IntN(2), rng.IntN(2), rng.IntN(2), rng.IntN(2)}
		lambda := rng.Float64() * boldest / (0.5 - points)
		mean := expected(kinds, points, lambda, func(choices []int) (int, bool) {
			return order[len(choices)%4], len(choices) < n
		})
		if !(mean <= 1+1e-12) {
			t.Fatalf("the capital grows by %v: %v", mean, kinds)
		}
	}
}

// TestMajorityNeedsFixedQuestions: where the number of questions depends on a respondent's own
// choices the capital grows under the hypothesis, so the condition is needed: people who choose the
// rival are asked again, people who choose the nominee are not.
func TestMajorityNeedsFixedQuestions(t *testing.T) {
	undecided := []person{{{0.5, 0.5}, {0.5, 0.5}}}
	again := func(choices []int) (int, bool) {
		return 0, len(choices) == 0 || len(choices) == 1 && choices[0] == 0
	}
	if mean := expected(undecided, 0, 1, again); !(mean > 1.1) {
		t.Errorf("the capital grows by %v only", mean)
	}
	fixed := func(choices []int) (int, bool) { return 0, len(choices) < 2 }
	approx.Equal(t, "fixed questions", expected(undecided, 0, 1, fixed), 1, 1e-12)
	approx.Equal(t, "polarised people", expected(polarised(), 0, 1, fixed), 1, 1e-12)
}

// TestMajorityCapital: the capital is the sum over investments of the products since each, and its
// largest value is kept, for every rival by itself.
func TestMajorityCapital(t *testing.T) {
	points := Points(0.2)
	approx.Equal(t, "points", points, 1/(1+math.Exp(-0.2))-0.5, 1e-15)
	m := NewMajority(0, 3)
	if m.Log(1) > -1e8 {
		t.Errorf("without an investment the capital is %v", m.Log(1))
	}
	p := Prediction{Mean: 0.2, Squares: 0.25}
	var weights, products []float64
	highest := math.Inf(-1)
	for i, v := range []Votes{{2, 0, 2}, {4, 1, 2}, {0, 0, 0}, {1, 1, 0}} {
		if i < 2 {
			weights, products = append(weights, 0.3), append(products, 1)
			m.Invest(0.3)
		}
		m.Enter(1, v, points, p)
		want := 0.0
		for k := range products {
			if v.Shown > 0 {
				products[k] *= 1 + p.Kelly(points)*v.Payoff(points)
			}
			want += weights[k] * products[k]
		}
		approx.Equal(t, "capital", m.Log(1), math.Log(want), 1e-12)
		highest = max(highest, math.Log(want))
	}
	r := m.Rivals[1]
	approx.Equal(t, "highest", r.Highest, highest, 1e-12)
	if !(highest > m.Log(1)) || r.People != 3 || m.Rivals[2].People != 0 {
		t.Errorf("%+v", m)
	}
	approx.Equal(t, "the other rival", m.Log(2), math.Log(0.6), 1e-12)
	approx.Equal(t, "chosen", r.Chosen, 0.25+1, 1e-12)
	approx.Equal(t, "refused", r.Refused, 1+0.5, 1e-12)
	m.Grow(4)
	approx.Equal(t, "a new rival", m.Log(3), math.Log(0.6), 1e-12)
}

// TestMajorityOfSeveralNominees: the sum of cash and of the capitals of bad nominees does not grow,
// however it is invested: here half of what is left goes to the nominee that leads so far. The mean is
// an exact sum over all answers of ten people, who compare each of two nominees in turn with the arm
// that beats both by exactly ε.
func TestMajorityOfSeveralNominees(t *testing.T) {
	const people, points = 10, 0.05
	total := 0.0
	for answers := range 1 << people {
		nominees := []Majority{NewMajority(0, 3), NewMajority(1, 3)}
		cash, probability := 1.0, 1.0
		for person := range people {
			m := &nominees[person%2]
			if m.Rivals[2].Refused >= nominees[1-person%2].Rivals[2].Refused {
				m.Invest(cash / 2)
				cash /= 2
			}
			v := Votes{Shown: 1, Rival: answers >> person & 1}
			v.Nominee = 1 - v.Rival
			probability *= (0.5+points)*float64(v.Rival) + (0.5-points)*float64(v.Nominee)
			m.Enter(2, v, points, m.Rivals[2].Update(Prediction{0.05, 0.25}, points, 5))
		}
		total += probability * (cash + math.Exp(nominees[0].Log(2)) + math.Exp(nominees[1].Log(2)))
	}
	approx.Equal(t, "mean capital", total, 1, 1e-12)
}

// TestPredictionStaysInRange: no prediction makes a bet that could lose everything.
func TestPredictionStaysInRange(t *testing.T) {
	for _, p := range []Prediction{{0.5, 1e-9}, {-1, 1}, {0.1, 0}, {math.NaN(), 1}, {1e300, 1e-300}} {
		for _, points := range []float64{0, 0.05, 0.4} {
			worst := 1 - p.Kelly(points)*(0.5-points)
			if !(worst > 0 && worst <= 1) {
				t.Errorf("%+v at ε = %v leaves %v", p, points, worst)
			}
		}
	}
}

// TestVotesOf: answers count where both arms are shown equally often; rankings count the higher one.
func TestVotesOf(t *testing.T) {
	answers := []choice.Answer{
		{Question: choice.Question{3, 1, 2}, Picks: []int{0}},       // the nominee
		{Question: choice.Question{1, 3, 2}, Picks: []int{2}},       // neither
		{Question: choice.Question{1, 3, 2}, Picks: []int{2, 0, 1}}, // ranked higher: the rival
		{Question: choice.Question{1, 2}, Picks: []int{0}},          // the nominee is not shown
		{Question: choice.Question{3, 3, 1}, Picks: []int{0}},       // an advantage for the nominee
		{Question: choice.Question{3, 1, 3, 1}, Picks: []int{2, 1}}, // equally often
	}
	if v := VotesOf(answers, 1, 3); v != (Votes{Shown: 4, Rival: 1, Nominee: 2}) {
		t.Errorf("%+v", v)
	}
}

package evidence

import (
	"math"

	"bestpick/choice"
)

// Majority is evidence about people rather than about θ: that they do not choose one arm, the rival,
// over another, the nominee, by more than a tolerance ε. It assumes no softmax, no features, and
// no likeness of people.
//
// For a question S that shows both, let π_S be the probability that a respondent drawn from the
// population who chooses one of the two chooses the rival. The hypothesis to refute is
//
//	H: π_S ≥ p₀ = ½ + ε, whichever other arms S shows.
//
// A respondent is one observation, entered when complete. If n of their answers are to questions that
// show both arms, of which W choose the rival and L the nominee, the payoff is
//
//	g = (p₀·L − (1−p₀)·W)/n,   which lies between −(1−p₀) and p₀,
//
// and the capital is multiplied by 1 + λ·g, where 0 ≤ λ < 1/(1−p₀). For pairs of arms that is
// 1 + λ·(p₀ − z), z being the mean of the respondent's choices: the bet on a bounded mean of
// Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (JRSS B, 2024).
// An answer that chooses neither arm has the payoff 0. For rankings, the arm that is ranked higher is
// chosen; if neither is ranked, neither is chosen.
//
// # Why it is valid
//
// Number respondents in the order in which they are complete, and let F_k be what is known when the
// k-th is: the questions and answers of the first k, and the questions of all others. Assume that
//
//  1. respondents are drawn from the population independently of one another, and
//  2. which questions a respondent answers, and when the respondent is complete, does not depend on
//     that respondent's choices, given F_{k−1}.
//
// Then, given F_{k−1} and the questions S₁ … S_n of respondent k that show both arms,
//
//	E g = (1/n)·Σ_i (p₀·P(L_i) − (1−p₀)·P(W_i)) = (1/n)·Σ_i P(W_i or L_i)·(p₀ − π_{S_i}) ≤ 0
//
// under H, however one person's answers depend on each other. λ depends on F_{k−1} and on n only, so
// the capital is a non-negative supermartingale that starts at 1, and it ever reaches 1/α with
// probability at most α (Ville).
//
// # Bets
//
// A part of the capital, [pluggedShare], bets by Kelly's rule on the prediction for the next payoff.
// The rest is a mixture over fixed λ, for populations about which predictions are poor.
type Majority struct {
	Plugged float64   `json:"plugged"`         // log of the product of the bets by prediction
	Fixed   []float64 `json:"fixed,omitempty"` // logs of the products of the fixed bets
	Highest float64   `json:"highest"`         // the largest log of the capital so far

	People  int     `json:"people"`  // respondents entered
	Chosen  float64 `json:"chosen"`  // sum of W/n over them
	Refused float64 `json:"refused"` // sum of L/n over them
	Squares float64 `json:"squares"` // sum of g² over them
}

// Votes are one respondent's choices between a rival and a nominee.
type Votes struct {
	Shown   int // answers to questions that showed both
	Rival   int // of these, choices of the rival
	Nominee int // and of the nominee
}

const (
	pluggedShare = 0.8  // of the capital
	boldest      = 0.95 // of the largest λ
)

// fixedBets are the λ of the mixture, as parts of the largest one.
func fixedBets() [4]float64 { return [...]float64{0.1, 0.25, 0.5, 0.8} }

// Points returns the tolerance ε in probability that corresponds to one in utility: at 0.2 it is 0.05,
// five points.
func Points(epsilon float64) float64 { return math.Tanh(epsilon/2) / 2 }

// Payoff returns g for a tolerance in points.
func (v Votes) Payoff(points float64) float64 {
	return ((0.5+points)*float64(v.Nominee) - (0.5-points)*float64(v.Rival)) / float64(v.Shown)
}

// A Prediction is what is expected of the payoff of the next respondent.
type Prediction struct {
	Mean    float64 // of g
	Squares float64 // mean of g²
}

// Kelly returns the λ that maximises λ·E g − λ²·E g²/2, the expected logarithm of 1 + λg to second
// order, within the range that keeps the capital positive.
func (p Prediction) Kelly(points float64) float64 {
	if !(p.Mean > 0 && p.Squares > 0) {
		return 0
	}
	return min(p.Mean/p.Squares, boldest/(0.5-points))
}

// Growth returns the expected logarithm of 1 + λg to second order, at Kelly's λ.
func (p Prediction) Growth(points float64) float64 {
	lambda := p.Kelly(points)
	return lambda*p.Mean - lambda*lambda*p.Squares/2
}

// Enter adds a respondent, whose votes must have been predicted from respondents before.
func (m *Majority) Enter(v Votes, points float64, p Prediction) {
	if v.Shown == 0 {
		return
	}
	bets := fixedBets()
	if m.Fixed == nil {
		m.Fixed = make([]float64, len(bets))
	}
	g := v.Payoff(points)
	m.Plugged += math.Log1p(p.Kelly(points) * g)
	for i, part := range bets {
		m.Fixed[i] += math.Log1p(part / (0.5 - points) * g)
	}
	m.Highest = max(m.Highest, m.Log())
	m.People++
	m.Chosen += float64(v.Rival) / float64(v.Shown)
	m.Refused += float64(v.Nominee) / float64(v.Shown)
	m.Squares += g * g
}

// Log returns the log of the capital.
func (m *Majority) Log() float64 {
	if m.Fixed == nil {
		return 0
	}
	logs := []float64{math.Log(pluggedShare) + m.Plugged}
	for _, log := range m.Fixed {
		logs = append(logs, math.Log((1-pluggedShare)/float64(len(m.Fixed)))+log)
	}
	return choice.LogSumExp(logs)
}

// Update returns a prediction improved by the respondents so far, as if it rested on some respondents
// of its own.
func (m *Majority) Update(prior Prediction, points, weight float64) Prediction {
	sum := (0.5+points)*m.Refused - (0.5-points)*m.Chosen
	total := weight + float64(m.People)
	return Prediction{Mean: (weight*prior.Mean + sum) / total, Squares: (weight*prior.Squares + m.Squares) / total}
}

// VotesOf returns a respondent's choices between two arms. Answers count where both arms are shown in
// equally many slots, so that neither has an advantage.
func VotesOf(answers []choice.Answer, rival, nominee int) Votes {
	var v Votes
	for _, a := range answers {
		if n := slotsOf(a.Question, nominee); n == 0 || n != slotsOf(a.Question, rival) {
			continue
		}
		v.Shown++
		for _, slot := range a.Picks {
			if arm := a.Question[slot]; arm == rival {
				v.Rival++
				break
			} else if arm == nominee {
				v.Nominee++
				break
			}
		}
	}
	return v
}

// slotsOf counts the slots that show an arm.
func slotsOf(q choice.Question, arm int) int {
	n := 0
	for _, shown := range q {
		if shown == arm {
			n++
		}
	}
	return n
}

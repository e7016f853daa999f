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
// under H, however one person's answers depend on each other. λ depends on F_{k−1} and on the questions
// only, so 1 + λg has a mean of at most 1, and the product over respondents from any moment on is a
// non-negative supermartingale.
//
// # Several nominees, one capital
//
// Let a nominee X be bad if for some rival H holds, and let Y(X) be such a rival, which depends on X
// alone. A capital of 1 is invested in nominees bit by bit, as much in each and whenever the answers
// suggest it: a part w that is invested in X at time τ becomes, for each rival of X, w times the
// product from τ on. So
//
//	S = cash + Σ_X M_X, with M_X the capital of rival Y(X) of each bad nominee X,
//
// is a non-negative supermartingale that starts at 1 or below, and reaches 1/δ with probability at
// most δ. If X is elected once the capitals of all its rivals have reached 1/δ, a bad X is elected
// with probability at most δ, for any population, with or without a Condorcet winner. There is no
// union over rivals or over nominees.
//
// Gains from one nominee do not count for another: an arm that loses narrowly to a good nominee may
// still beat a bad one by more than ε.
type Majority struct {
	Arm         int          `json:"arm"`    // the nominee
	Rivals      []Rival      `json:"rivals"` // by arm
	Investments []investment `json:"investments"`
}

// A Rival is the evidence from one arm's comparisons with a nominee.
type Rival struct {
	Log     float64 `json:"log"`     // of the product since the nomination
	Highest float64 `json:"highest"` // the largest log of the capital so far

	People  int     `json:"people"`  // respondents entered
	Chosen  float64 `json:"chosen"`  // sum of W/n over them
	Refused float64 `json:"refused"` // sum of L/n over them
	Squares float64 `json:"squares"` // sum of g² over them
}

// An investment is a part of the capital, and the logs of all rivals when it was invested.
type investment struct {
	Weight float64   `json:"weight"`
	Logs   []float64 `json:"logs"`
}

// NewMajority returns the evidence for a nominee among n arms, without capital.
func NewMajority(arm, n int) Majority {
	m := Majority{Arm: arm}
	m.Grow(n)
	return m
}

// Grow makes room for rivals that were added. Capital that was invested before works for them from now
// on.
func (m *Majority) Grow(n int) {
	for len(m.Rivals) < n {
		m.Rivals = append(m.Rivals, Rival{Highest: leastLog})
	}
	for i := range m.Investments {
		m.Investments[i].Logs = append(m.Investments[i].Logs, make([]float64, n-len(m.Investments[i].Logs))...)
	}
}

// Invest puts a part of the capital to work from now on.
func (m *Majority) Invest(weight float64) {
	logs := make([]float64, len(m.Rivals))
	for arm, r := range m.Rivals {
		logs[arm] = r.Log
	}
	m.Investments = append(m.Investments, investment{weight, logs})
}

// Log returns the log of the capital against the hypothesis that a rival beats the nominee.
func (m *Majority) Log(rival int) float64 {
	logs := make([]float64, len(m.Investments))
	for i, part := range m.Investments {
		logs[i] = math.Log(part.Weight) + m.Rivals[rival].Log - part.Logs[rival]
	}
	if len(logs) == 0 {
		return leastLog
	}
	return choice.LogSumExp(logs)
}

// Enter adds a respondent, whose votes must have been predicted from respondents before.
func (m *Majority) Enter(rival int, v Votes, points float64, p Prediction) {
	if v.Shown == 0 {
		return
	}
	r, g := &m.Rivals[rival], v.Payoff(points)
	r.Log += math.Log1p(p.Kelly(points) * g)
	r.Highest = max(r.Highest, m.Log(rival))
	r.People++
	r.Chosen += float64(v.Rival) / float64(v.Shown)
	r.Refused += float64(v.Nominee) / float64(v.Shown)
	r.Squares += g * g
}

// Votes are one respondent's choices between a rival and a nominee.
type Votes struct {
	Shown   int // answers to questions that showed both
	Rival   int // of these, choices of the rival
	Nominee int // and of the nominee
}

const (
	boldest  = 0.95 // of the largest λ
	leastLog = -1e9 // where there is no capital
)

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

// Kelly returns the λ that maximises the expected logarithm of 1 + λg, if g has the outcomes of a
// single answer, p₀, −(1−p₀) and 0, with the predicted moments: E g/(E g² − 2ε·E g). It is limited to
// the range that keeps the capital positive.
func (p Prediction) Kelly(points float64) float64 {
	if !(p.Mean > 0 && p.Squares > 0) {
		return 0
	}
	largest := boldest / (0.5 - points)
	if left := p.Squares - 2*points*p.Mean; left*largest > p.Mean {
		return p.Mean / left
	}
	return largest
}

// Growth returns the expected logarithm of 1 + λg at Kelly's λ, for the same outcomes.
func (p Prediction) Growth(points float64) float64 {
	lambda, win, lose := p.Kelly(points), 0.5+points, 0.5-points
	wins, losses := (p.Squares+lose*p.Mean)/win, (p.Squares-win*p.Mean)/lose
	if losses <= 0 { // people agree more than single answers can
		return math.Log1p(lambda * max(p.Mean, 0))
	}
	return wins*math.Log1p(lambda*win) + losses*math.Log1p(-lambda*lose)
}

// Update returns a prediction improved by the respondents so far, as if it rested on some respondents
// of its own.
func (r *Rival) Update(prior Prediction, points, weight float64) Prediction {
	sum := (0.5+points)*r.Refused - (0.5-points)*r.Chosen
	total := weight + float64(r.People)
	return Prediction{Mean: (weight*prior.Mean + sum) / total, Squares: (weight*prior.Squares + r.Squares) / total}
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

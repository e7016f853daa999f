package evidence

import "slices"

// Majority is evidence about people rather than about θ: that they do not choose one arm, the rival, over another, the nominee,
// by more than a tolerance ε. It assumes no softmax, no features, and no likeness of people.
//
// For a question S that shows both, let π_S be the probability that a respondent drawn from the population who chooses one of
// the two chooses the rival. The hypothesis to refute is
//
//	H: π_S ≥ p₀ = ½ + ε, whichever other arms S shows.
//
// People are numbered by their arrival. A person is dealt all questions of their session on arrival, the hand, and at the same
// moment a stake λ, 0 ≤ λ < 2, is fixed for every pair of a nominee and a rival that the hand compares. If c questions of the
// hand show both arms, of which n are answered so far, L with the nominee and W with the rival, the payoff is
//
//	g = (p₀·L − (1−p₀)·(W + c − n))/c,
//
// so that an open comparison counts for the rival until it is answered. Once the hand has ended, the comparisons that are not
// answered are left out, c = n, if n > 0, and otherwise the bet is lost. The capital after the first k people is the product of
// 1 + λ·g over them: for pairs of arms that is the bet on a bounded mean of Waudby-Smith and Ramdas, "Estimating means of
// bounded random variables by betting" (JRSS B, 2024). An answer that chooses neither arm has the payoff 0. For rankings, the
// arm that is ranked higher is chosen; if neither is ranked, neither is chosen.
//
// # Why it is valid
//
// Let G_k be all that the first k arrivals will ever answer, with its timing, and all times of arrival. Assume that
//
//  1. given G_k, person k+1 is drawn from the population, and
//  2. given a person's taste, which of their questions they answer, and when, does not depend on what
//     they choose.
//
// For a verdict about judges, person k+1 is an answer: its judge and context are drawn from one mix, whatever was answered
// before. Hand, stakes and investments before arrival k+1 are functions of G_k. When all hands have ended,
//
//	E g = (1/n)·Σ_i (p₀·P(L_i) − (1−p₀)·P(W_i)) = (1/n)·Σ_i P(W_i or L_i)·(p₀ − π_{S_i}) ≤ 0
//
// under H, however one person's answers depend on each other; a bet without an answered comparison pays less. (How many
// questions a person answers may depend on their taste. Where their choice between the two depends on the other arms of a
// question, which ones may not: so hands have a random order.) So the product over people, from any arrival on, is a
// non-negative supermartingale in k. An open bet never counts for more than it does in the end. So the largest capital over all
// moments and all prefixes of the arrivals is at most the largest one of that supermartingale, which Ville's inequality bounds:
// pace and the order in which people finish do not matter.
//
// # People who are distrusted
//
// Of a person whom a rule excludes after their bets were placed, or the owner, the bets may still lose, and win nothing: g
// becomes min(g, 0), with all of their answers. At every moment and prefix that is at most the capital with them, which is
// valid whatever the rule depends on, and at most the capital without them.
//
// # Questions that are taken off a hand
//
// Who withdraws an arm may do so because of what people with open hands have chosen. So what such a person has not answered
// stays lost, and the bet pays at most what it would have paid in the end.
//
// # Several nominees, one capital
//
// Let a nominee X be bad if for some rival H holds, and let Y(X) be the first such rival in the order of the arms, which
// depends on X alone. A capital of 1 is invested in nominees bit by bit, as much in each and whenever the answers suggest it: a
// part w that is invested in X after k arrivals becomes, for each rival of X, w times the product from person k+1 on. So
//
//	S = cash + Σ_X M_X, with M_X the capital of rival Y(X) of each bad nominee X,
//
// is a non-negative supermartingale that starts at 1 or below, and reaches 1/δ with probability at most δ. If X is elected once
// the capitals of all its rivals have reached 1/δ, a bad X is elected with probability at most δ, for any population, with or
// without a Condorcet winner. There is no union over rivals or over nominees, and none over arms that are added later.
//
// Gains from one nominee do not count for another: an arm that loses narrowly to a good nominee may still beat a bad one by
// more than ε.
//
// # Fakes
//
// Up to m people may be fake: they are not drawn from the population, and answer whatever they like because of anything that
// happened. What they do may change hands, stakes and investments of others, which are still fixed on arrival. So S above is a
// supermartingale if it has the factors of the other people only. For each invested part of a capital, that is at least the
// part divided by its m largest factors, if they are more than 1. A rival is refuted where that has reached 1/δ. The m may be
// chosen afterwards: of all m the true number is one, smaller ones claim nothing, and larger ones claim less.
//
// The largest factors are kept for the sum of all parts of a capital, since the first: they are at least as large as those of
// each part. Where a new part is more than all of that, the older ones are given up.
//
// # Other tolerances
//
// The same stakes give a capital for every hypothesis π ≥ m with m ≥ ½. For the m that holds, that is a supermartingale, and
// the capital grows with m. So the smallest m at which all rivals of some nominee are refuted is proven at any time, with the
// same δ. A [Level] is such a hypothesis.
//
// # Intervals
//
// Let m be the share of people who choose a rival over a nominee, the same in all questions. For levels m₁ < m₂ < … and any
// stakes λᵢ ≥ 0 that are fixed on arrival, the capital at mᵢ is a supermartingale if m ≥ mᵢ. If a level counts as refuted only
// together with all larger ones, a wrong upper end needs that the largest mᵢ ≤ m is refuted, which is one supermartingale. So
// each level has its stakes, Kelly's for the share predicted on arrival, and lower ends come from the opposite bets, on people
// who choose the nominee: there open comparisons count for the nominee.
//
// The nominee is chosen by the answers. Number the rivals of every nominee X in the order of the arms, and let Y(X) be its j-th
// rival, for one j. Then S above, with the capitals at the largest true levels, is a supermartingale for each j and each side.
// With n−1 rivals and the threshold 2(n−1)/δ, all intervals of all nominees hold at all times with probability 1 − δ. That δ is
// another one than that of the election.
//
// # Worse than the nominee
//
// The share of people who choose a rival over a nominee may be shown to be less than ½ with fewer bets than an interval takes:
// see [ClosedTest].
type Majority struct {
	Arm      int          `json:"arm"`    // the nominee
	Rivals   []Capital    `json:"rivals"` // by arm
	Invested float64      `json:"invested"`
	Pending  []investment `json:"pending,omitempty"` // the last parts of it, after people whose bets are open
}

// An investment is a part of the capital. It bets on people with larger numbers.
type investment struct {
	After  int     `json:"after"`
	Weight float64 `json:"weight"`
}

// A Level is a hypothesis that a capital is to refute: that a share of people, Share or more, choose the rival, if a comparison
// that a person left unanswered counts for the rival with a weight.
type Level struct {
	Share   float64
	Missing float64

	// Fakes is how many people may be fake, and Beyond how many more than a race is set to withstand.
	Fakes, Beyond int

	Opposite  bool // the hypothesis is about people who choose the nominee
	Predicted bool // the stake is Kelly's for the predicted share, instead of the one for p₀

	Below float64 // that stake is for a share that is less by this
}

// Levels returns the hypotheses of a majority race, all with a number of fakes. The first is the one to refute, p₀; then the
// same with growing weights of what is missing, with growing numbers of further fakes, then others in increasing order of the
// share, which have the same stake, and the rest of those for intervals.
func Levels(points float64, fakes int) []Level {
	p := 0.5 + points
	all := []Level{{Share: p}}
	for _, weight := range []float64{0.1, 0.25, 0.5, 1} {
		all = append(all, Level{Share: p, Missing: weight})
	}
	for _, more := range []int{1, 2, 3, 5, 10} {
		all = append(all, Level{Share: p, Beyond: more})
	}
	for _, share := range []float64{0.5, 0.51, 0.52, 0.53, 0.55, 0.57, 0.6, 0.63, 0.66, 0.7, 0.75, 0.8, 0.9} {
		all = append(all, Level{Share: share})
	}
	for percent := 5.0; percent <= 50; percent += 5 {
		all = append(all, Level{Share: percent / 100, Predicted: true})
	}
	for percent := 40.0; percent < 100; percent += 5 {
		all = append(all, Level{Share: percent / 100, Opposite: true, Predicted: true})
	}
	for i := range all {
		all[i].Fakes = fakes
	}
	return all
}

// NewMajority returns the evidence for a nominee among n arms, without capital.
func NewMajority(arm, n, levels int) Majority {
	m := Majority{Arm: arm}
	m.Grow(n, levels)
	return m
}

// Grow makes room for rivals that were added. Capital that was invested before works for them from now on.
func (m *Majority) Grow(n, levels int) {
	for len(m.Rivals) < n {
		m.Rivals = append(m.Rivals, NewCapital(m.Invested, levels))
	}
}

// Invest puts a part of the capital to work for people who arrive after a number of others. It waits where bets on them are open.
func (m *Majority) Invest(weight float64, after int) {
	m.Pending = append(m.Pending, investment{after, weight})
	for arm := range m.Rivals {
		m.Rivals[arm].change(after + 1)
	}
}

// Settle evaluates all bets. Hands up to a number have ended.
func (m *Majority) Settle(levels []Level, ended int) {
	at := slices.IndexFunc(m.Pending, func(i investment) bool { return i.After > ended })
	if at < 0 {
		at = len(m.Pending)
	}
	for arm := range m.Rivals {
		if arm != m.Arm {
			m.Rivals[arm].settle(levels, ended, m.Pending[:at], m.Pending[at:])
		}
	}
	for _, part := range m.Pending[:at] {
		m.Invested += part.Weight
	}
	m.Pending = m.Pending[at:]
}

// bounds reports whether a level is for ends of intervals on a side. There is one for each share.
func (l Level) bounds(opposite bool) bool {
	return l.Opposite == opposite && l.Missing == 0 && l.Beyond == 0 && (l.Predicted || l.Share > 0.5)
}

// ClosedTest returns for each of several hypotheses the capital from which on it is rejected, given the capitals against all
// and their weights. A hypothesis is rejected once all sets of hypotheses with it have a weighted mean capital that is enough.
// If the weighted mean for the set of true hypotheses is a supermartingale that starts at 1 or below, any of them is ever
// rejected with probability at most 1/enough (Vovk and Wang, "E-values: calibration, combination and applications", Annals of
// Statistics, 2021).
//
// The set with the smallest sum Σ w·(capital − enough) has all others whose capitals are not enough. So with t for enough,
// hypothesis j is rejected from t + (1/w_j)·Σ w_i·max(t − capital_i, 0) on, summed over the others.
func ClosedTest(capitals, weights []float64, enough float64) []float64 {
	all := 0.0
	for i, capital := range capitals {
		all += weights[i] * max(enough-capital, 0)
	}
	least := make([]float64, len(capitals))
	for j, capital := range capitals {
		least[j] = enough + max(all-weights[j]*max(enough-capital, 0), 0)/weights[j]
	}
	return least
}

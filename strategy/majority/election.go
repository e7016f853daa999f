package majority

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
)

const (
	modelWeight  = 30.0 // respondents whose votes the model's prediction is worth
	groupWeight  = 5.0  // the same in a group, which the model does not know
	priorSpread  = 0.01 // variance of payoffs between people, before any is known
	spreadWeight = 20.0 // votes that this is worth
	closeLead    = 1.5  // of ε: the mean payoff of close pairs, which take most of the answers
	stakeErrors  = 2.0  // standard errors of a prediction, within which the stake is the one for that payoff
	stakeWeight  = 150  // respondents, besides, on whom that standard error rests
)

// An election is the majority evidence about one group of people: the capital that is invested in nominees and bets against
// their rivals. The proof is with [evidence.Majority].
type election struct {
	Nominees []nominee `json:"nominees,omitempty"`
	Invested float64   `json:"invested"`           // of the capital of 1
	Late     float64   `json:"late"`               // answers after which more is invested in any leader
	First    int       `json:"first"`              // arms at the beginning
	Changed  bool      `json:"changed,omitempty"`  // arms have come or gone
	Partial  bool      `json:"partial,omitempty"`  // an answer did not order all arms that it showed
	Excess   float64   `json:"excess"`             // of squared payoffs, over what identical people would have
	Entries  float64   `json:"entries"`            // votes that this is a sum over
	Excluded int       `json:"excluded,omitempty"` // people whom the owner excluded, see [Race.Exclude]

	AgainstBest againstBest `json:"against_best,omitempty"` // by arm

	// Weighted says that the election is about the population of [Settings].Weights. Then a nominee has one investment,
	// when it is nominated, and there is no certificate that there is no favourite.
	Weighted bool `json:"weighted,omitempty"`
}

// A nominee is an arm that may be elected.
type nominee struct {
	evidence.Majority

	Credible float64 `json:"credible"` // Z at which more capital is invested

	Weights []float64 `json:"weights,omitempty"` // by arm, see [election.showWorse]
	Worse   []int     `json:"worse,omitempty"`   // arms that are shown to be worse

	Strata []evidence.Strata `json:"strata,omitempty"` // by arm, if the election is weighted
	Weight float64           `json:"weight,omitempty"` // of the capital, that bets there
}

// highest returns the log of the highest capital against a rival at a level.
func (n *nominee) highest(a *arms, rival, level int) float64 {
	switch {
	case n.Strata == nil:
		return n.Rivals[rival].Highest[level]
	case a.levels[level].IsPlain():
		return n.Strata[rival].Highest[level]
	}
	return math.Inf(-1)
}

func newElection(arms int) election { return election{First: arms} }

// withdrawalShare is the part of δ for certificates that say nothing of a withdrawn rival.
const withdrawalShare = 0.05

// threshold returns the log of the capital that refutes a rival. There is no union over rivals as long as all of them are
// refuted, added ones included.
func (a *arms) threshold() float64 { return -math.Log(a.delta * (1 - cycleShare - withdrawalShare)) }

// thresholdAlone returns the log of the capital that refutes a rival where others need not be refuted. Arms may be withdrawn
// because of the answers, so which of the remaining rivals beats a nominee may depend on them: every arm has a part of δ, half
// of it the arms at the beginning together.
func (e *election) thresholdAlone(a *arms, rival int) float64 {
	weight := 0.5 / float64(max(e.First, 1))
	if added := float64(rival - e.First); added >= 0 {
		weight = 0.5 / ((added + 1) * (added + 2))
	}
	return -math.Log(a.delta * withdrawalShare * weight)
}

// find returns a nominee, nil for other arms.
func (e *election) find(arm int) *nominee {
	at := slices.IndexFunc(e.Nominees, func(n nominee) bool { return n.Arm == arm })
	if at < 0 {
		return nil
	}
	return &e.Nominees[at]
}

// open returns the rivals of a nominee that are not refuted at a level, withdrawn ones only if the others are refuted by what
// does not need them. Some arms are no rivals.
func (e *election) open(a *arms, n *nominee, level int, except []int) []int {
	var all, present []int
	for arm := range n.Rivals {
		if arm == n.Arm || slices.Contains(except, arm) {
			continue
		}
		highest := n.highest(a, arm, level)
		if !(highest >= a.threshold()) {
			all = append(all, arm)
		}
		if !a.isWithdrawn(arm) && !(highest >= e.thresholdAlone(a, arm)) {
			present = append(present, arm)
		}
	}
	if len(a.withdrawn) == 0 || len(all) == 0 {
		return all
	}
	return present
}

// level returns the level at which an arm is elected: that with one more fake for each person whom the owner excluded. The
// capital without the largest factors is at most the one without theirs, and at most the one with them.
func (e *election) level(a *arms) int {
	return max(0, slices.IndexFunc(a.levels, func(l evidence.Level) bool { return e.Excluded > 0 && l.Beyond >= e.Excluded }))
}

// rivalsLeft returns the rivals of a nominee that are not refuted. Arms that are placed already are no rivals.
//
// If m arms are sought, each has δ/m. Let b₁, b₂, … be the arms that too many people choose over an arm x. Wherever x is placed
// wrongly, at most m − 1 arms were placed before it, so one of b₁, …, b_m, or of all if they are fewer, was refuted, which has
// probability at most m·δ/m times the capital that is invested in x. All capital together is at most 1.
func (e *election) rivalsLeft(a *arms, n *nominee) []int { return e.open(a, n, e.level(a), a.placed) }

// cash returns the capital that may be invested now: of m arms that are sought, each has 1/m.
func (e *election) cash(a *arms) float64 { return float64(len(a.placed)+1)/float64(a.top) - e.Invested }

// elected returns the first nominee without a rival: the race stops with it, or seeks the next of the best arms.
func (e *election) elected(a *arms) (arm int, ok bool) {
	for i := range e.Nominees {
		if n := &e.Nominees[i]; !a.isOut(n.Arm) && len(e.rivalsLeft(a, n)) == 0 {
			return n.Arm, true
		}
	}
	return 0, false
}

// proven returns the smallest share of people, of those with a level, such that no other arm is chosen over some nominee by a
// larger one, and the nominee. It reports false if there is none, and where people are excluded.
func (e *election) proven(a *arms) (arm int, share float64, ok bool) {
	share = 1
	for i := range e.Nominees {
		n := &e.Nominees[i]
		if e.Excluded > 0 || a.isWithdrawn(n.Arm) || len(e.open(a, n, a.largestShare(), nil)) > 0 {
			continue
		}
		for level, of := range a.levels {
			if of.Missing == 0 && !of.Predicted && of.Share < share && len(e.open(a, n, level, nil)) == 0 {
				arm, share, ok = n.Arm, of.Share, true
			}
		}
	}
	return arm, share, ok
}

// largestShare returns the level that is refuted wherever one with a smaller share is.
func (a *arms) largestShare() int {
	largest := 0
	for level, of := range a.levels {
		if of.IsPlain() && of.Share > a.levels[largest].Share {
			largest = level
		}
	}
	return largest
}

// missing returns the largest weight with which unanswered comparisons may count for the rivals of an elected arm, 0 where
// people are excluded. The best arms are no rivals of each other.
func (e *election) missing(a *arms, arm int, best []int) float64 {
	n, weight := e.find(arm), 0.0
	for level, of := range a.levels {
		if of.Missing > weight && e.Excluded == 0 && n != nil && len(e.open(a, n, level, best)) == 0 {
			weight = of.Missing
		}
	}
	return weight
}

// withstands returns how many fakes there may have been for an elected arm to be elected: those of the settings, or a larger
// number that has a level.
func (e *election) withstands(a *arms, arm int, best []int) int {
	n, fakes := e.find(arm), a.levels[0].Fakes
	for level, of := range a.levels {
		if of.Beyond > e.Excluded && n != nil && len(e.open(a, n, level, best)) == 0 {
			fakes = of.Fakes + of.Beyond - e.Excluded
		}
	}
	return fakes
}

// isCyclic reports whether it is certified that no arm is majority-best: the race stops without a winner.
func (e *election) isCyclic(a *arms) bool {
	return !e.Changed && !e.Weighted && e.Excluded == 0 && e.AgainstBest.refuteAll(cycleThreshold(a.delta))
}

// change makes room for new arms, and notes that arms have come or gone.
func (e *election) change(a *arms) {
	e.Changed = true
	for i := range e.Nominees {
		e.Nominees[i].Grow(a.catalogue.Len(), len(a.levels))
		e.stratify(a, &e.Nominees[i])
	}
}

// stratify makes room for the bets by group of a nominee.
func (e *election) stratify(a *arms, n *nominee) {
	for e.Weighted && len(n.Strata) < a.catalogue.Len() {
		n.Strata = append(n.Strata, a.strata.NewStrata())
	}
}

// spread returns the estimated variance of payoffs between people.
func (e *election) spread() float64 {
	return max(0, (priorSpread*spreadWeight+e.Excess)/(spreadWeight+e.Entries))
}

// settle evaluates the bets of all nominees, and those against all arms. Hands up to a number have ended.
func (e *election) settle(a *arms, ended int) {
	for i := range e.Nominees {
		n := &e.Nominees[i]
		n.Settle(a.levels, ended)
		for rival := range n.Strata {
			n.Strata[rival].Settle(a.strata, n.Weight, ended)
		}
	}
	e.AgainstBest.settle(evidence.Level{Share: 0.5 - a.points(), Fakes: a.levels[0].Fakes}, ended)
}

// bet places the bets on a person who arrives: for all nominees against all rivals that their hand compares, with predictions
// from the answers so far.
func (e *election) bet(a *arms, h Hand, by Guide) {
	if len(e.Nominees) == 0 {
		return
	}
	predicted := make([]prediction, len(h.Cards))
	for i, q := range h.Cards {
		predicted[i] = prediction{q, by.Belief.Predict(by.Rows, q), by.Picks}
	}
	points, spread, against := a.points(), e.spread(), betsAgainstBest{}
	for n := range e.Nominees {
		of := &e.Nominees[n]
		for _, rival := range shownWith(h.Cards, of.Arm) {
			cards := comparing(h.Cards, of.Arm, rival)
			if cards == 0 {
				continue
			}
			mean, within, share := predictVotes(predicted, rival, of.Arm, points)
			times := float64(cards)
			prior := evidence.Prediction{Mean: mean, Squares: mean*mean + within/times + spread*(1-1/times)}
			before := of.Rivals[rival].Votes(points)
			chosen := before.Share(share, modelWeight)
			against.consider(of.Arm, rival, before, prior.Squares, points)
			of.Rivals[rival].Place(evidence.Bet{
				Arrival: h.Arrival, Arm: of.Arm, Cards: cards, Mean: mean, Within: within,
				Chosen: chosen, Variance: chosen*(1-chosen)/times + spread*(1-1/times),
				Stake: before.Update(prior, points, modelWeight).Near(closeLead*points, stakeErrors, stakeWeight).Kelly(points),
			})
			if e.Weighted {
				group, _ := a.number(h.Segment) // checked on arrival
				in := &of.Strata[rival].Groups[group]
				chosen = in.Votes(points).Share(share, groupWeight)
				in.Place(evidence.Bet{
					Arrival: h.Arrival, Arm: of.Arm, Cards: cards, Chosen: chosen,
					Variance: chosen*(1-chosen)/times + spread*(1-1/times),
				})
			}
		}
	}
	e.AgainstBest = e.AgainstBest.grown(a.catalogue.Len())
	e.AgainstBest.place(against, h)
}

// comparing counts the questions that compare two arms.
func comparing(cards []choice.Question, arm, rival int) int {
	n := 0
	for _, q := range cards {
		if evidence.Compares(q, arm, rival) {
			n++
		}
	}
	return n
}

// bets yields the bets on a person and the rivals of them, for the given arms.
func (e *election) bets(arrival int, shown []int, do func(b *evidence.Bet, rival int)) {
	for _, rival := range shown {
		for i := range e.Nominees {
			n := &e.Nominees[i]
			if b := n.Rivals[rival].Bet(arrival); b != nil {
				do(b, rival)
			}
			if n.Strata == nil {
				continue
			}
			for g := range n.Strata[rival].Groups {
				if b := n.Strata[rival].Groups[g].Bet(arrival); b != nil {
					do(b, rival)
				}
			}
		}
		if rival < len(e.AgainstBest) {
			if b := e.AgainstBest[rival].Bet(arrival); b != nil {
				do(b, rival)
			}
		}
	}
}

// count counts an answer of a person.
func (e *election) count(arrival int, a choice.Answer) {
	e.Partial = e.Partial || len(a.Picks) > 0 && len(a.Picks) < len(a.Question)-1
	e.bets(arrival, distinct(a.Question), func(b *evidence.Bet, rival int) {
		if evidence.Compares(a.Question, b.Arm, rival) {
			b.Count(a, rival)
		}
	})
}

// distrust lets the bets on a person win nothing.
func (e *election) distrust(h Hand) {
	e.bets(h.Arrival, distinct(slices.Concat(h.Cards...)), func(b *evidence.Bet, _ int) { b.Distrusted = true })
}

// cut lets what is not answered of the bets on a person stay lost.
func (e *election) cut(h Hand) {
	e.bets(h.Arrival, distinct(slices.Concat(h.Cards...)), func(b *evidence.Bet, _ int) { b.Cut = true })
}

// end ends the bets on a person.
func (e *election) end(a *arms, h Hand) {
	level := a.levels[0]
	e.bets(h.Arrival, distinct(slices.Concat(h.Cards...)), func(b *evidence.Bet, _ int) {
		if h.Answered == 0 {
			b.Void()
			return
		}
		if b.Ended = true; b.Shown > 1 && b.Within > 0 && !b.Cut {
			off := b.Payoff(level) - b.Mean
			e.Excess += off*off - b.Within/float64(b.Shown)
			e.Entries++
		}
	})
}

// A prediction has the predicted probabilities of the slots of a question, and how many of them are ranked.
type prediction struct {
	question choice.Question
	shares   []float64
	picks    int
}

// predictVotes returns the predicted mean and variance of the payoff of one answer to the questions that show both arms, and
// the predicted share of people who choose the rival.
func predictVotes(predicted []prediction, rival, nominee int, points float64) (mean, variance, share float64) {
	shown := 0.0
	for _, p := range predicted {
		a, b := slices.Index(p.question, rival), slices.Index(p.question, nominee)
		if a < 0 || b < 0 {
			continue
		}
		m, v := predictPayoff(p.shares[a], p.shares[b], p.picks, points)
		mean, variance, shown = mean+m, variance+v, shown+1
		share += p.shares[a] / (p.shares[a] + p.shares[b])
	}
	return mean / shown, variance / shown, share / shown
}

// predictPayoff returns the mean and variance of the payoff of an answer that ranks some arms, if the rival and the nominee are
// picked first with the given probabilities.
func predictPayoff(rival, nominee float64, picks int, points float64) (mean, variance float64) {
	either := rival + nominee
	decided := (1 - math.Pow(1-min(either, 1), float64(picks))) / either
	rival, nominee = rival*decided, nominee*decided
	win, lose := 0.5+points, 0.5-points
	mean = win*nominee - lose*rival
	return mean, max(win*win*nominee+lose*lose*rival-mean*mean, 1e-6)
}

// shownWith returns the arms that questions show with an arm, in increasing order.
func shownWith(cards []choice.Question, arm int) []int {
	var with []int
	for _, q := range cards {
		if slices.Contains(q, arm) {
			with = append(with, q...)
		}
	}
	return slices.DeleteFunc(distinct(with), func(other int) bool { return other == arm })
}

// distinct returns the different arms of a list, in increasing order.
func distinct(arms []int) []int { return slices.Compact(slices.Sorted(slices.Values(arms))) }

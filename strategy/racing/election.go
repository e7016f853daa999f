package racing

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
)

const (
	firstCredible = 0.3  // Z of the most doubtful arm, from which a leader is nominated
	credibleRatio = 1.3  // of Z, from one investment to the next
	investShare   = 0.15 // of the cash
	lateInvest    = 0.3  // of the cash, when answers have grown without an investment
	lateRatio     = 1.5  // by which they have grown then
	modelWeight   = 30.0 // respondents whose votes the model's prediction is worth
	priorSpread   = 0.01 // variance of payoffs between people, before any is known
	spreadWeight  = 20.0 // votes that this is worth
)

// An election is the majority evidence of a race. A leader that is credible is nominated, and some of
// the capital is invested in it, more as it becomes more credible. A nominee whose rivals are all
// refuted is elected. The proof is with [evidence.Majority].
type election struct {
	Nominees []nominee `json:"nominees,omitempty"`
	Invested float64   `json:"invested"`
	Late     float64   `json:"late"`              // answers after which more is invested in any leader
	Changed  bool      `json:"changed,omitempty"` // arms have come or gone
	Excess   float64   `json:"excess"`            // of squared payoffs, over what identical people would have
	Entries  float64   `json:"entries"`           // votes that this is a sum over
	Doubts   doubts    `json:"doubts,omitempty"`  // by arm
}

// A nominee is an arm that may be elected.
type nominee struct {
	evidence.Majority

	Credible float64 `json:"credible"` // Z at which more capital is invested
}

// threshold returns the log of the capital that refutes a rival. Once arms have come or gone because of
// the answers, which rival beats a nominee may depend on them too: then every rival has a part of
// δ.
func (e *election) threshold(c *contest) float64 {
	delta := c.majorityDelta() * (1 - doubtShare)
	if e.Changed {
		delta /= float64(c.catalogue.Len())
	}
	return math.Log(1 / delta)
}

// find returns a nominee, nil for other arms.
func (e *election) find(arm int) *nominee {
	at := slices.IndexFunc(e.Nominees, func(n nominee) bool { return n.Arm == arm })
	if at < 0 {
		return nil
	}
	return &e.Nominees[at]
}

// support nominates an arm if it is credible enough, and invests more in it the more credible it
// becomes: at every new level of Z, or when the answers have grown by half without.
func (e *election) support(c *contest, arm int, z float64, answers int) {
	if z < firstCredible {
		return
	}
	n := e.nominate(c, arm)
	invest := 0.0
	for ; n.Credible <= z && n.Credible < maxLevel; n.Credible *= credibleRatio {
		invest += investShare * (1 - e.Invested - invest)
	}
	if invest == 0 && float64(answers) >= e.Late {
		invest = lateInvest * (1 - e.Invested)
	}
	if invest > 0 {
		e.Invested += invest
		n.Invest(invest)
		e.Late = lateRatio * float64(answers)
	}
}

// nominate returns an arm as a nominee, without capital if it is new.
func (e *election) nominate(c *contest, arm int) *nominee {
	if n := e.find(arm); n != nil {
		return n
	}
	e.Nominees = append(e.Nominees, nominee{evidence.NewMajority(arm, c.catalogue.Len()), firstCredible})
	return &e.Nominees[len(e.Nominees)-1]
}

// standing returns the rivals of a nominee that are not refuted.
func (e *election) standing(c *contest, n *nominee) []int {
	var left []int
	threshold := e.threshold(c)
	for arm := range n.Rivals {
		if arm != n.Arm && !c.isWithdrawn(arm) && !(n.Rivals[arm].Highest >= threshold) {
			left = append(left, arm)
		}
	}
	return left
}

// elected returns the first nominee without a rival.
func (e *election) elected(c *contest) (arm int, ok bool) {
	for i := range e.Nominees {
		if n := &e.Nominees[i]; !c.isWithdrawn(n.Arm) && len(e.standing(c, n)) == 0 {
			return n.Arm, true
		}
	}
	return 0, false
}

// grow makes room for new arms.
func (e *election) grow(arms int) {
	for i := range e.Nominees {
		e.Nominees[i].Grow(arms)
	}
}

// spread returns the estimated variance of payoffs between people.
func (e *election) spread() float64 {
	return max(0, (priorSpread*spreadWeight+e.Excess)/(spreadWeight+e.Entries))
}

// enter adds the votes of a respondent to the capitals of all nominees, with predictions by the belief
// from respondents before.
func (e *election) enter(c *contest, b *evidence.Belief, answers []choice.Answer) {
	if len(e.Nominees) == 0 {
		return
	}
	outlooks := make([]answerOutlook, len(answers))
	for i, a := range answers {
		// Whether the answer is none or a tie, and has no pick, must not inform the prediction.
		outlooks[i] = answerOutlook{a.Question, b.Predict(c.views.judged, a.Question), max(len(a.Picks), 1)}
	}
	e.makeRoom(c)
	points, spread, against := c.points(), e.spread(), bets{} // before any of these votes is known
	for n := range e.Nominees {
		of := &e.Nominees[n]
		for _, rival := range shownWith(answers, of.Arm) {
			v := evidence.VotesOf(answers, rival, of.Arm)
			if v.Shown == 0 {
				continue
			}
			mean, within := expectVotes(outlooks, rival, of.Arm, points)
			prior := evidence.Prediction{Mean: mean, Squares: mean*mean + within/float64(v.Shown) + spread*(1-1/float64(v.Shown))}
			against.consider(of, rival, v, prior.Squares, points)
			of.Enter(rival, v, points, of.Rivals[rival].Update(prior, points, modelWeight))
			if v.Shown > 1 {
				off := v.Payoff(points) - mean
				e.Excess += off*off - within/float64(v.Shown)
				e.Entries++
			}
		}
	}
	e.Doubts.settle(against, c.doubtThreshold())
}

// An answerOutlook is a question with the predicted probabilities of its slots, and how many of
// them are ranked.
type answerOutlook struct {
	question choice.Question
	shares   []float64
	picks    int
}

// expectVotes returns the predicted mean and variance of the payoff of one answer to the questions
// that show both arms.
func expectVotes(outlooks []answerOutlook, rival, nominee int, points float64) (mean, variance float64) {
	shown := 0.0
	for _, o := range outlooks {
		a, b := slices.Index(o.question, rival), slices.Index(o.question, nominee)
		if a < 0 || b < 0 {
			continue
		}
		m, v := expectPayoff(o.shares[a], o.shares[b], o.picks, points)
		mean, variance, shown = mean+m, variance+v, shown+1
	}
	return mean / shown, variance / shown
}

// expectPayoff returns the mean and variance of the payoff of an answer that ranks some arms, if the
// rival and the nominee are picked first with the given probabilities.
func expectPayoff(rival, nominee float64, picks int, points float64) (mean, variance float64) {
	either := rival + nominee
	decided := (1 - math.Pow(1-min(either, 1), float64(picks))) / either
	rival, nominee = rival*decided, nominee*decided
	win, lose := 0.5+points, 0.5-points
	mean = win*nominee - lose*rival
	return mean, max(win*win*nominee+lose*lose*rival-mean*mean, 1e-6)
}

// shownWith returns the arms that were shown with an arm, in increasing order.
func shownWith(answers []choice.Answer, arm int) []int {
	var with []int
	for _, a := range answers {
		if slices.Contains(a.Question, arm) {
			with = append(with, a.Question...)
		}
	}
	slices.Sort(with)
	return slices.DeleteFunc(slices.Compact(with), func(other int) bool { return other == arm })
}

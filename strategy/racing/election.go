package racing

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
)

const (
	nominateFrom = 1.0  // Z of the most doubtful arm
	firstNominee = 0.7  // of δ
	modelWeight  = 8.0  // respondents whose votes the model's prediction is worth
	priorSpread  = 0.01 // variance of payoffs between people, before any is known
	spreadWeight = 20.0 // votes that this is worth
	leastGrowth  = 1e-4 // nats, of a comparison with an arm that seems better
)

// An election is the majority evidence of a race. The leader is nominated once it is credible, and
// from then on each of its rivals has a capital ([evidence.Majority]) that stands against the
// hypothesis that people choose the rival over the nominee by more than ε. A nominee whose rivals
// are all refuted is elected.
//
// If a nominee X is elected wrongly, the capital of the rival that beats X by most has reached its
// threshold. Which rival that is depends on X alone, so there is no union over rivals. The n-th
// nominee is chosen before its capitals begin, and has a share of δ; the shares of all nominees sum
// to 1. So an arm that people do not choose over others is elected with probability at most δ,
// whether or not a Condorcet winner exists.
//
// Gains against one nominee do not count for the next one: an arm that loses narrowly to a good
// nominee may still beat a bad one.
type election struct {
	Nominees []nominee `json:"nominees,omitempty"`
	Changed  bool      `json:"changed,omitempty"` // arms have come or gone
	Excess   float64   `json:"excess"`            // of squared payoffs, over what identical people would have
	Entries  float64   `json:"entries"`           // votes that this is a sum over
}

// A nominee is an arm that may be elected.
type nominee struct {
	Arm    int                 `json:"arm"`
	Rivals []evidence.Majority `json:"rivals"` // by arm
}

// threshold returns the log of the capital that refutes a rival of the n-th nominee. Once arms have
// come or gone because of the answers, which rival beats a nominee may depend on them too: then
// every rival has its own part of the share.
func (e *election) threshold(c *contest, n int) float64 {
	share := firstNominee
	if n > 0 {
		share = (1 - firstNominee) * math.Pow(0.5, float64(n))
	}
	if e.Changed {
		share /= float64(c.catalogue.Len())
	}
	return -math.Log(c.majorityDelta() * share)
}

// find returns the number of a nominee, −1 for other arms.
func (e *election) find(arm int) int {
	return slices.IndexFunc(e.Nominees, func(n nominee) bool { return n.Arm == arm })
}

// nominate makes an arm a nominee, unless it is one, and returns its number.
func (e *election) nominate(c *contest, arm int) int {
	if at := e.find(arm); at >= 0 {
		return at
	}
	e.Nominees = append(e.Nominees, nominee{arm, make([]evidence.Majority, c.catalogue.Len())})
	return len(e.Nominees) - 1
}

// standing returns the rivals of the n-th nominee that are not refuted.
func (e *election) standing(c *contest, n int) []int {
	var left []int
	threshold, of := e.threshold(c, n), &e.Nominees[n]
	for arm := range of.Rivals {
		if arm != of.Arm && !c.isWithdrawn(arm) && !(of.Rivals[arm].Highest >= threshold) {
			left = append(left, arm)
		}
	}
	return left
}

// elected returns the first nominee without a rival.
func (e *election) elected(c *contest) (arm int, ok bool) {
	for n := range e.Nominees {
		if arm := e.Nominees[n].Arm; !c.isWithdrawn(arm) && len(e.standing(c, n)) == 0 {
			return arm, true
		}
	}
	return 0, false
}

// grow makes room for new arms.
func (e *election) grow(arms int) {
	for n := range e.Nominees {
		rivals := &e.Nominees[n].Rivals
		*rivals = append(*rivals, make([]evidence.Majority, arms-len(*rivals))...)
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
		outlooks[i] = answerOutlook{a.Question, b.Predict(c.views.judged, a.Question), len(a.Picks)}
	}
	points := c.points()
	for n := range e.Nominees {
		of := &e.Nominees[n]
		for _, rival := range shownWith(answers, of.Arm) {
			v := evidence.VotesOf(answers, rival, of.Arm)
			if v.Shown == 0 {
				continue
			}
			mean, within := expectVotes(outlooks, rival, of.Arm, points)
			prior := evidence.Prediction{Mean: mean, Squares: mean*mean + within/float64(v.Shown) + e.spread()}
			of.Rivals[rival].Enter(v, points, of.Rivals[rival].Update(prior, points, modelWeight))
			if v.Shown > 1 {
				off := v.Payoff(points) - mean
				e.Excess += off*off - within/float64(v.Shown)
				e.Entries++
			}
		}
	}
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

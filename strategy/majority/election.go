package majority

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
)

const (
	modelWeight  = 30.0 // respondents whose votes the model's prediction is worth
	priorSpread  = 0.01 // variance of payoffs between people, before any is known
	spreadWeight = 20.0 // votes that this is worth
)

// An election is the majority evidence about one group of people: the capital that is invested in
// nominees and bets against their rivals. The proof is with [evidence.Majority].
type election struct {
	Nominees []nominee `json:"nominees,omitempty"`
	Invested float64   `json:"invested"`          // of the capital of 1
	Late     float64   `json:"late"`              // answers after which more is invested in any leader
	Changed  bool      `json:"changed,omitempty"` // arms have come or gone
	Excess   float64   `json:"excess"`            // of squared payoffs, over what identical people would have
	Entries  float64   `json:"entries"`           // votes that this is a sum over

	AgainstBest againstBest `json:"against_best,omitempty"` // by arm
}

// A nominee is an arm that may be elected.
type nominee struct {
	evidence.Majority

	Credible float64 `json:"credible"` // Z at which more capital is invested
}

// threshold returns the log of the capital that refutes a rival. Once arms have come or gone because of
// the answers, which rival beats a nominee may depend on them too: then every rival has a part of
// δ.
func (e *election) threshold(a *arms) float64 {
	delta := a.delta * (1 - cycleShare)
	if e.Changed {
		delta /= float64(a.catalogue.Len())
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

// rivalsLeft returns the rivals of a nominee that are not refuted.
func (e *election) rivalsLeft(a *arms, n *nominee) []int {
	var left []int
	threshold := e.threshold(a)
	for arm := range n.Rivals {
		if arm != n.Arm && !a.isWithdrawn(arm) && !(n.Rivals[arm].Highest >= threshold) {
			left = append(left, arm)
		}
	}
	return left
}

// elected returns the first nominee without a rival: the race stops with it.
func (e *election) elected(a *arms) (arm int, ok bool) {
	for i := range e.Nominees {
		if n := &e.Nominees[i]; !a.isWithdrawn(n.Arm) && len(e.rivalsLeft(a, n)) == 0 {
			return n.Arm, true
		}
	}
	return 0, false
}

// isCyclic reports whether it is certified that no arm is majority-best: the race stops without a
// winner.
func (e *election) isCyclic(a *arms) bool {
	return !e.Changed && e.AgainstBest.refuteAll(cycleThreshold(a.delta))
}

// change makes room for new arms, and notes that arms have come or gone.
func (e *election) change(arms int) {
	e.Changed = true
	for i := range e.Nominees {
		e.Nominees[i].Grow(arms)
	}
}

// spread returns the estimated variance of payoffs between people.
func (e *election) spread() float64 {
	return max(0, (priorSpread*spreadWeight+e.Excess)/(spreadWeight+e.Entries))
}

// enter bets on the votes of a complete respondent, for all nominees against all rivals: with
// predictions by the belief, which rests on respondents before.
func (e *election) enter(a *arms, rows *choice.Catalogue, b *evidence.Belief, answers []choice.Answer) {
	if len(e.Nominees) == 0 {
		return
	}
	predicted := make([]prediction, len(answers))
	for i, answer := range answers {
		// Whether the answer is none or a tie, and has no pick, must not inform the prediction.
		predicted[i] = prediction{answer.Question, b.Predict(rows, answer.Question), max(len(answer.Picks), 1)}
	}
	points, spread, against := a.points(), e.spread(), betsAgainstBest{} // before any of these votes is known
	for n := range e.Nominees {
		of := &e.Nominees[n]
		for _, rival := range shownWith(answers, of.Arm) {
			v := evidence.VotesOf(answers, rival, of.Arm)
			if v.Shown == 0 {
				continue
			}
			mean, within := predictVotes(predicted, rival, of.Arm, points)
			prior := evidence.Prediction{Mean: mean, Squares: mean*mean + within/float64(v.Shown) + spread*(1-1/float64(v.Shown))}
			against.consider(of.Arm, rival, &of.Rivals[rival], v, prior.Squares, points)
			of.Enter(rival, v, points, of.Rivals[rival].Update(prior, points, modelWeight))
			if v.Shown > 1 {
				off := v.Payoff(points) - mean
				e.Excess += off*off - within/float64(v.Shown)
				e.Entries++
			}
		}
	}
	e.AgainstBest = e.AgainstBest.grown(a.catalogue.Len())
	e.AgainstBest.settle(against, cycleThreshold(a.delta))
}

// A prediction has the predicted probabilities of the slots of a question, and how many of them are
// ranked.
type prediction struct {
	question choice.Question
	shares   []float64
	picks    int
}

// predictVotes returns the predicted mean and variance of the payoff of one answer to the questions
// that show both arms.
func predictVotes(predicted []prediction, rival, nominee int, points float64) (mean, variance float64) {
	shown := 0.0
	for _, p := range predicted {
		a, b := slices.Index(p.question, rival), slices.Index(p.question, nominee)
		if a < 0 || b < 0 {
			continue
		}
		m, v := predictPayoff(p.shares[a], p.shares[b], p.picks, points)
		mean, variance, shown = mean+m, variance+v, shown+1
	}
	return mean / shown, variance / shown
}

// predictPayoff returns the mean and variance of the payoff of an answer that ranks some arms, if the
// rival and the nominee are picked first with the given probabilities.
func predictPayoff(rival, nominee float64, picks int, points float64) (mean, variance float64) {
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

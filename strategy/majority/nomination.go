package majority

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

const (
	firstCredible = 0.3  // Z of the most doubtful arm, from which a leader is nominated
	credibleRatio = 1.3  // of Z, from one investment to the next
	maxCredible   = 1e12 // of Z
	investShare   = 0.15 // of the cash
	lateInvest    = 0.3  // of the cash, when answers have grown without an investment
	lateRatio     = 1.5  // by which they have grown then

	likelyLeaders = 6    // arms with the largest utilities that may lead
	steadiness    = 0.02 // by how much less another arm must be beaten to take the lead
	deviation     = 0.5  // of one person's choice, at most
)

// support nominates an arm if it is credible enough, and invests more in it the more credible it
// becomes: at every new level of Z, or when the answers have grown by half without.
func (e *election) support(a *arms, arm int, z float64, answers, arrived int) {
	if e.Weighted {
		e.supportOnce(a, arm, z, arrived)
		return
	}
	if z < firstCredible {
		return
	}
	n := e.nominate(a, arm)
	invest := 0.0
	for ; n.Credible <= z && n.Credible < maxCredible; n.Credible *= credibleRatio {
		invest += investShare * (e.cash(a) - invest)
	}
	if invest == 0 && float64(answers) >= e.Late {
		invest = lateInvest * e.cash(a)
	}
	if invest > 0 {
		e.Invested += invest
		n.Invest(invest, arrived)
		e.Late = lateRatio * float64(answers)
	}
}

// supportOnce nominates an arm of a weighted election, with half of the cash. The model is about people as they come,
// so only the first nominee must be credible by it.
func (e *election) supportOnce(a *arms, arm int, z float64, arrived int) {
	if e.find(arm) != nil || z < firstCredible && len(e.Nominees) == 0 {
		return
	}
	n := e.nominate(a, arm)
	n.Weight = (1 - e.Invested) / 2
	e.Invested += n.Weight
	n.Invest(n.Weight, arrived)
	e.stratify(a, n)
}

// nominate returns an arm as a nominee, without capital if it is new.
func (e *election) nominate(a *arms, arm int) *nominee {
	if n := e.find(arm); n != nil {
		return n
	}
	e.Nominees = append(e.Nominees, nominee{
		Majority: evidence.NewMajority(arm, a.catalogue.Len(), len(a.levels)), Credible: firstCredible,
	})
	return &e.Nominees[len(e.Nominees)-1]
}

// A group is the people whose majority is sought, all respondents or one segment of them: their election,
// and the model that guides it.
type group struct {
	arms     *arms
	rows     *choice.Catalogue // of the model
	belief   *evidence.Belief
	election *election
	leader   int     // of the last look
	answers  int     // that count
	arrived  int     // people
	each     float64 // answers of a respondent, on average
	picks    float64 // of all answers

	utilities []float64 // of all arms by the model, once they are needed
}

// utility returns the utility of an arm by the model.
func (g *group) utility(arm int) float64 {
	for at := len(g.utilities); at < g.rows.Len(); at++ {
		g.utilities = append(g.utilities, g.rows.Utility(at, g.belief.Fitted))
	}
	return g.utilities[arm]
}

// look chooses the leader, and supports it unless an arm is elected, which then leads. It returns the
// leader's rivals that are not refuted.
func (g *group) look() (l survey.Leads, contenders []strategy.Standing, elected bool) {
	g.leader, elected = g.nextLeader()
	l = g.arms.leads(g.rows, g.belief, g.leader)
	if !elected {
		g.election.support(g.arms, g.leader, l.Signal(), g.answers, g.arrived)
	}
	return l, g.contenders(&l), elected
}

// nextLeader returns the elected arm, or the arm that seems to lose to no other arm by much: of the
// nominees and the arms with the largest utilities, the one whose strongest rival is chosen over it by the
// smallest share of people. An arm that leads stays unless another is clearly better.
func (g *group) nextLeader() (leader int, elected bool) {
	if leader, elected = g.election.elected(g.arms); elected {
		return leader, true
	}
	best := survey.Smallest{Size: likelyLeaders}
	for arm := range g.arms.catalogue.Len() {
		if !g.arms.isOut(arm) {
			best.Offer(arm, -g.utility(arm))
		}
	}
	candidates := best.Sorted()
	leader = candidates[0]
	if len(g.election.Nominees) == 0 {
		return leader, false
	}
	for _, n := range g.election.Nominees {
		if !g.arms.isOut(n.Arm) {
			candidates = append(candidates, n.Arm)
		}
	}
	least := math.Inf(1)
	for _, arm := range candidates {
		_, loses := g.strongestRival(arm, 1)
		if arm == g.leader {
			loses -= steadiness
		}
		if loses < least {
			leader, least = arm, loses
		}
	}
	return leader, false
}

// strongestRival returns the arm that is chosen over the given one by the largest estimated share of people, and that share, less
// a number of standard errors: what few people said does not speak against an arm. The share is −∞ if there is no other arm.
func (g *group) strongestRival(arm int, errors float64) (rival int, share float64) {
	rival, share = -1, math.Inf(-1)
	for other := range g.arms.catalogue.Len() {
		if other == arm || g.arms.isOut(other) {
			continue
		}
		if chosen, people := g.chosenOver(other, arm); chosen-errors*deviation/math.Sqrt(people) > share {
			rival, share = other, chosen-errors*deviation/math.Sqrt(people)
		}
	}
	return rival, share
}

// chosenOver estimates the share of people who choose one arm over another: by the people who compared the
// two, where one of them is a nominee, and by the model. It returns how many people that rests on.
func (g *group) chosenOver(rival, arm int) (share, people float64) {
	share = 1 / (1 + math.Exp(g.utility(arm)-g.utility(rival)))
	if g.election.Weighted {
		return g.chosenInGroups(rival, arm, share)
	}
	chosen, refused := modelWeight*share, modelWeight*(1-share)
	if n := g.election.find(arm); n != nil {
		m := n.Rivals[rival].Votes(g.arms.points())
		chosen, refused = chosen+m.Chosen, refused+m.Refused
	}
	if n := g.election.find(rival); n != nil {
		m := n.Rivals[arm].Votes(g.arms.points())
		chosen, refused = chosen+m.Refused, refused+m.Chosen
	}
	return chosen / (chosen + refused), chosen + refused
}

// chosenInGroups is chosenOver for the population of a weighted election. The standard error of the share is that of
// as many people in proportion.
func (g *group) chosenInGroups(rival, arm int, predicted float64) (share, people float64) {
	variance := 0.0
	for group, weight := range g.arms.strata.Weights {
		chosen, refused := groupWeight*predicted, groupWeight*(1-predicted)
		if n := g.election.find(arm); n != nil {
			m := n.Strata[rival].Groups[group].Votes(g.arms.points())
			chosen, refused = chosen+m.Chosen, refused+m.Refused
		}
		if n := g.election.find(rival); n != nil {
			m := n.Strata[arm].Groups[group].Votes(g.arms.points())
			chosen, refused = chosen+m.Refused, refused+m.Chosen
		}
		share += weight * chosen / (chosen + refused)
		variance += weight * weight / (chosen + refused)
	}
	return share, 1 / variance
}

// findCycle goes from the leader to the arm that most clearly beats it, and so on, until an arm returns.
// It returns the arms from there on, nil if some arm is not clearly beaten. Where it is certified that
// there is a cycle, it follows the estimates, clear or not.
func (g *group) findCycle(certified bool) []int {
	least := 0.5 + g.arms.points()
	if certified {
		least = math.Inf(-1)
	}
	path := []int{g.leader}
	for {
		next, share := g.strongestRival(path[len(path)-1], 2)
		if !(share > least) {
			return nil
		}
		if at := slices.Index(path, next); at >= 0 {
			return path[at:]
		}
		path = append(path, next)
	}
}

// contenders returns the rivals of the leader that are not refuted, by their lead. While more than one arm is sought, it
// returns all rivals, because a refuted one may be the next of the best. Evidence is the log of the capital, relative
// to δ as in [strategy.Standing]; before a nomination there is none.
func (g *group) contenders(l *survey.Leads) []strategy.Standing {
	found := l.Unknown(func(arm int) int { return arm })
	n := g.election.find(l.Top)
	if n == nil {
		return found
	}
	if g.arms.isLast() {
		left := g.election.rivalsLeft(g.arms, n)
		found = slices.DeleteFunc(found, func(s strategy.Standing) bool { return !slices.Contains(left, s.Arm) })
	}
	for i := range found {
		s := &found[i]
		s.Evidence = n.highest(g.arms, s.Arm, g.election.level(g.arms)) + math.Log(1/g.arms.studyDelta) - g.arms.threshold()
		s.Chosen, _ = g.chosenOver(s.Arm, l.Top)
		s.Compared = int(n.Rivals[s.Arm].Votes(g.arms.points()).People)
	}
	return found
}

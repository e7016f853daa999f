package racing

import (
	"math"
	"slices"

	"bestpick/evidence"
	"bestpick/strategy"
)

const (
	likelyLeaders = 6    // arms with the largest utilities that may lead
	steadiness    = 0.02 // by how much less another arm must be beaten to take the lead
	deviation     = 0.5  // of one person's choice, at most
)

// An electorate is the people whose majority is sought: all respondents, or one segment of them. It has
// their election and the model that guides it.
type electorate struct {
	contest  *contest
	belief   *evidence.Belief
	election *election
	turnout  turnout
	leader   int // of the last look
}

// A turnout is how much people answer.
type turnout struct {
	Answers int     // that count
	Each    float64 // of a respondent, on average
	Picks   float64 // of all answers
}

// look chooses the leader, and supports it unless an arm is elected, which then leads.
func (e *electorate) look() (l leads, found standings, elected bool) {
	arm, elected := e.election.elected(e.contest)
	if !elected {
		arm = e.chooseLeader()
	}
	l = e.contest.newLeads(allArms(e.contest.views), e.belief, arm)
	if !elected {
		e.election.support(e.contest, arm, l.signal(), e.turnout.Answers)
	}
	e.leader = arm
	return l, e.standings(&l), elected
}

// chooseLeader returns the arm that seems to lose to no other arm by much: of the nominees and the
// arms with the largest utilities, the one whose strongest rival is chosen over it by the smallest
// share of people. An arm that leads stays unless another is clearly better.
func (e *electorate) chooseLeader() int {
	c := e.contest
	best := smallest{size: likelyLeaders}
	for arm := range c.catalogue.Len() {
		if !c.isWithdrawn(arm) {
			best.offer(arm, -c.views.judged.Utility(arm, e.belief.Fitted))
		}
	}
	candidates := best.sorted()
	leader := candidates[0]
	if len(e.election.Nominees) == 0 {
		return leader
	}
	for _, n := range e.election.Nominees {
		if !c.isWithdrawn(n.Arm) {
			candidates = append(candidates, n.Arm)
		}
	}
	least := math.Inf(1)
	for _, arm := range candidates {
		beaten := e.mostBeaten(arm)
		if arm == e.leader {
			beaten -= steadiness
		}
		if beaten < least {
			leader, least = arm, beaten
		}
	}
	return leader
}

// mostBeaten returns the largest estimated share of people who choose another arm over the given one,
// less a standard error: what few people said does not speak against an arm.
func (e *electorate) mostBeaten(arm int) float64 {
	most := math.Inf(-1)
	for rival := range e.contest.catalogue.Len() {
		if rival != arm && !e.contest.isWithdrawn(rival) {
			share, people := e.chosenOver(rival, arm)
			most = max(most, share-deviation/math.Sqrt(people))
		}
	}
	return most
}

// chosenOver estimates the share of people who choose one arm over another: by the people who compared the
// two, where one of them is a nominee, and by the model. It returns how many people that rests on.
func (e *electorate) chosenOver(rival, arm int) (share, people float64) {
	judged, theta := e.contest.views.judged, e.belief.Fitted
	share = 1 / (1 + math.Exp(judged.Utility(arm, theta)-judged.Utility(rival, theta)))
	chosen, refused := modelWeight*share, modelWeight*(1-share)
	if n := e.election.find(arm); n != nil {
		m := &n.Rivals[rival]
		chosen, refused = chosen+m.Chosen, refused+m.Refused
	}
	if n := e.election.find(rival); n != nil {
		m := &n.Rivals[arm]
		chosen, refused = chosen+m.Refused, refused+m.Chosen
	}
	return chosen / (chosen + refused), chosen + refused
}

// findCycle goes from the leader to the arm that most clearly beats it, and so on, until an arm returns.
// It returns the arms from there on, nil if some arm is not clearly beaten. Where it is certified that
// there is a cycle, it follows the estimates, clear or not.
func (e *electorate) findCycle(certified bool) []int {
	least := 0.5 + e.contest.points()
	if certified {
		least = math.Inf(-1)
	}
	path := []int{e.leader}
	for {
		next := e.mostClearlyBeats(path[len(path)-1], least)
		if next < 0 {
			return nil
		}
		if at := slices.Index(path, next); at >= 0 {
			return path[at:]
		}
		path = append(path, next)
	}
}

// mostClearlyBeats returns the arm that is chosen over the given one by the largest share of people, less
// two standard errors; −1 if no such share exceeds the least one.
func (e *electorate) mostClearlyBeats(arm int, least float64) int {
	found, most := -1, least
	for rival := range e.contest.catalogue.Len() {
		if rival == arm || e.contest.isWithdrawn(rival) {
			continue
		}
		if share, people := e.chosenOver(rival, arm); share-2*deviation/math.Sqrt(people) > most {
			found, most = rival, share-2*deviation/math.Sqrt(people)
		}
	}
	return found
}

// standings returns the rivals of the leader that are not refuted. Evidence is the log of
// the capital, relative to δ as in [strategy.Standing].
func (e *electorate) standings(l *leads) standings {
	found := standings{Contenders: l.unknown()}
	n := e.election.find(l.leader)
	if n == nil {
		return found
	}
	left := e.election.standing(e.contest, n)
	found.Contenders = slices.DeleteFunc(found.Contenders, func(s strategy.Standing) bool { return !slices.Contains(left, s.Arm) })
	for i := range found.Contenders {
		s := &found.Contenders[i]
		s.Evidence = n.Log(s.Arm) + math.Log(1/e.contest.settings.Delta) - e.election.threshold(e.contest)
		s.Chosen, _ = e.chosenOver(s.Arm, l.leader)
		s.Compared = n.Rivals[s.Arm].People
	}
	return found
}

package racing

import (
	"math"
	"slices"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

const (
	likelyLeaders = 6    // arms with the largest utilities that may lead
	steadiness    = 0.02 // by how much less another arm must be beaten to take the lead
)

// Finish reports that a respondent is complete: their answers count from now on, together, and later
// ones only guide the choice of questions. Whether and when a respondent finishes must not depend on
// their choices. Answers without a name are complete at once. A race without majority evidence counts
// every answer when it comes, and Finish does nothing.
func (r *Racing) Finish(respondent string) error {
	if r.state.Respondents == nil || respondent == "" {
		return nil
	}
	return r.enter(r.state.Respondents.finish(respondent))
}

// collect counts an answer in a race with majority evidence, or keeps it until its respondent has
// finished.
func (r *Racing) collect(a choice.Answer) error {
	switch people := r.state.Respondents; {
	case a.Respondent == "":
		return r.enter([]choice.Answer{a})
	case people.hold(a):
		return nil
	}
	return r.learn(a, 0) // late: it guides, and is no evidence
}

// enter counts the answers of a complete respondent, and looks when it is time.
func (r *Racing) enter(answers []choice.Answer) error {
	if len(answers) == 0 {
		return nil
	}
	s := &r.state
	s.Respondents.Complete++
	s.Respondents.Entered += len(answers)
	s.Election.enter(&r.contest, &s.Belief, answers)
	for _, a := range answers {
		if err := r.learn(a, 0); err != nil {
			return err
		}
	}
	if !s.Decided && s.Respondents.Entered >= s.NextLook {
		r.look()
	}
	return nil
}

// byMajority reports whether majority evidence alone decides.
func (r *Racing) byMajority() bool {
	return r.contest.settings.Assume == strategy.Majority || r.state.Switched
}

// fallBack continues a linear race under majority: from now on every arm has a constant in the model
// that guides.
func (r *Racing) fallBack() {
	r.state.Switched = true
	r.addResiduals()
	r.state.Belief, r.state.Memory = evidence.NewBelief(r.contest.dim()), newMemory(&r.contest)
}

// addResiduals makes the parts of the model anew that depend on the coordinates of the arms. The linear
// evidence and the checks stay as they were.
func (r *Racing) addResiduals() {
	r.contest.addResiduals()
	r.linear = choice.NewLinear(r.contest.views.shown, r.tally)
}

// shouldFallBack reports whether the answers refute the linear model and there is majority evidence.
func (r *Racing) shouldFallBack() bool {
	return r.contest.settings.Fallback > 0 && r.monitor.Finding().Status == checks.Refuted
}

// nominate nominates the leader of a linear race with majority evidence once it is credible, and returns
// the nominee that is elected, if there is one.
func (r *Racing) nominate(z float64) (arm int, elected bool) {
	if r.state.Respondents == nil {
		return 0, false
	}
	if z >= nominateFrom {
		r.state.Election.nominate(&r.contest, r.state.Leader)
	}
	return r.state.Election.elected(&r.contest)
}

// lookByMajority fits the model, chooses the leader, and then stops or plans.
func (r *Racing) lookByMajority() {
	s := &r.state
	s.Belief.Fit(r.linear)
	arm, elected := s.Election.elected(&r.contest)
	if !elected {
		arm = r.chooseLeader()
	}
	l := r.contest.newLeads(allArms(r.contest.views), &s.Belief, arm)
	if l.signal() >= nominateFrom && !elected {
		s.Election.nominate(&r.contest, arm)
	}
	found := r.standingsByMajority(&l)
	l.zeroEliminated(found.Contenders)
	r.adopt(l, found)
	if elected {
		s.Decided, s.Elected, s.Deck = true, true, nil
		return
	}
	if s.Campaign = r.newCampaign(); s.Campaign != nil {
		s.Standings.Forecast = s.Campaign.forecast(r.contest.settings.K)
	}
	r.plan(r.planner())
}

// chooseLeader returns the arm that seems to lose to no other arm by much: of the nominees and the
// arms with the largest utilities, the one whose strongest rival is chosen over it by the smallest
// share of people. An arm that leads stays unless another is clearly better.
func (r *Racing) chooseLeader() int {
	s, c := &r.state, &r.contest
	best := smallest{size: likelyLeaders}
	for arm := range c.catalogue.Len() {
		if !c.isWithdrawn(arm) {
			best.offer(arm, -c.views.judged.Utility(arm, s.Belief.Fitted))
		}
	}
	candidates := best.sorted()
	leader := candidates[0]
	if len(s.Election.Nominees) == 0 {
		return leader
	}
	for _, n := range s.Election.Nominees {
		if !c.isWithdrawn(n.Arm) {
			candidates = append(candidates, n.Arm)
		}
	}
	least := math.Inf(1)
	for _, arm := range candidates {
		beaten := r.mostBeaten(arm)
		if arm == s.Leader {
			beaten -= steadiness
		}
		if beaten < least {
			leader, least = arm, beaten
		}
	}
	return leader
}

// mostBeaten returns the largest estimated share of people who choose another arm over the given one.
func (r *Racing) mostBeaten(arm int) float64 {
	most := 0.0
	for rival := range r.contest.catalogue.Len() {
		if rival != arm && !r.contest.isWithdrawn(rival) {
			most = max(most, r.chosenOver(rival, arm))
		}
	}
	return most
}

// chosenOver estimates the share of people who choose one arm over another: by those who compared the
// two, where one of them is a nominee, and by the model.
func (r *Racing) chosenOver(rival, arm int) float64 {
	judged, theta := r.contest.views.judged, r.state.Belief.Fitted
	share := 1 / (1 + math.Exp(judged.Utility(arm, theta)-judged.Utility(rival, theta)))
	chosen, refused := modelWeight*share, modelWeight*(1-share)
	if n := r.state.Election.find(arm); n >= 0 {
		m := &r.state.Election.Nominees[n].Rivals[rival]
		chosen, refused = chosen+m.Chosen, refused+m.Refused
	}
	if n := r.state.Election.find(rival); n >= 0 {
		m := &r.state.Election.Nominees[n].Rivals[arm]
		chosen, refused = chosen+m.Refused, refused+m.Chosen
	}
	return chosen / (chosen + refused)
}

// standingsByMajority returns the rivals of the leader that are not refuted. Evidence is the log of
// the capital, relative to δ as in [strategy.Standing].
func (r *Racing) standingsByMajority(l *leads) standings {
	found := standings{Contenders: l.unknown()}
	e := &r.state.Election
	n := e.find(l.leader)
	if n < 0 {
		return found
	}
	left := e.standing(&r.contest, n)
	found.Contenders = slices.DeleteFunc(found.Contenders, func(s strategy.Standing) bool { return !slices.Contains(left, s.Arm) })
	for i := range found.Contenders {
		s := &found.Contenders[i]
		m := &e.Nominees[n].Rivals[s.Arm]
		s.Evidence = m.Log() + math.Log(1/r.contest.settings.Delta) - e.threshold(&r.contest, n)
		s.Chosen, s.Compared = r.chosenOver(s.Arm, l.leader), m.People
	}
	return found
}

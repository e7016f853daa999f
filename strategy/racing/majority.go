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
	deviation     = 0.5  // of one person's choice, at most
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

// fallBack continues a linear race under majority.
func (r *Racing) fallBack() {
	r.state.Switched, r.state.Direct = true, false
	r.useResiduals()
	r.state.Belief, r.state.Memory = evidence.NewBelief(r.contest.dim()), newMemory(&r.contest)
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
	r.state.Election.support(&r.contest, r.state.Leader, z, r.counted())
	return r.state.Election.elected(&r.contest)
}

// lookByMajority fits the model, chooses the leader, and then stops or plans.
func (r *Racing) lookByMajority() {
	s := &r.state
	if s.Respondents.Entered >= s.NextTune {
		s.NextTune = s.Respondents.Entered + int(tuneEvery*float64(s.Respondents.Entered))
		r.tuneResiduals()
	} else {
		s.Belief.Fit(r.linear)
	}
	arm, elected := s.Election.elected(&r.contest)
	if !elected {
		arm = r.chooseLeader()
	}
	l := r.contest.newLeads(allArms(r.contest.views), &s.Belief, arm)
	if !elected {
		s.Election.support(&r.contest, arm, l.signal(), s.Respondents.Entered)
	}
	found := r.standingsByMajority(&l)
	l.zeroEliminated(found.Contenders)
	r.adopt(l, found)
	if elected {
		s.Decided, s.Elected, s.Deck = true, true, nil
		return
	}
	s.Cycle = r.findCycle()
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

// mostBeaten returns the largest estimated share of people who choose another arm over the given one,
// less a standard error: what few people said does not speak against an arm.
func (r *Racing) mostBeaten(arm int) float64 {
	most := math.Inf(-1)
	for rival := range r.contest.catalogue.Len() {
		if rival != arm && !r.contest.isWithdrawn(rival) {
			share, people := r.chosenOver(rival, arm)
			most = max(most, share-deviation/math.Sqrt(people))
		}
	}
	return most
}

// chosenOver estimates the share of people who choose one arm over another: by the people who compared the
// two, where one of them is a nominee, and by the model. It returns how many people that rests on.
func (r *Racing) chosenOver(rival, arm int) (share, people float64) {
	judged, theta := r.contest.views.judged, r.state.Belief.Fitted
	share = 1 / (1 + math.Exp(judged.Utility(arm, theta)-judged.Utility(rival, theta)))
	chosen, refused := modelWeight*share, modelWeight*(1-share)
	if n := r.state.Election.find(arm); n != nil {
		m := &n.Rivals[rival]
		chosen, refused = chosen+m.Chosen, refused+m.Refused
	}
	if n := r.state.Election.find(rival); n != nil {
		m := &n.Rivals[arm]
		chosen, refused = chosen+m.Refused, refused+m.Chosen
	}
	return chosen / (chosen + refused), chosen + refused
}

// findCycle goes from the leader to the arm that most clearly beats it, and so on, until an arm returns.
// It returns the arms from there on, nil if some arm is not clearly beaten.
func (r *Racing) findCycle() []int {
	path := []int{r.state.Leader}
	for {
		next := r.clearlyBeats(path[len(path)-1])
		if next < 0 {
			return nil
		}
		if at := slices.Index(path, next); at >= 0 {
			return path[at:]
		}
		path = append(path, next)
	}
}

// clearlyBeats returns the arm that is chosen over the given one by more than half of the people, and
// ε, by two standard errors and most of all; −1 if there is none.
func (r *Racing) clearlyBeats(arm int) int {
	found, most := -1, 0.5+r.contest.points()
	for rival := range r.contest.catalogue.Len() {
		if rival == arm || r.contest.isWithdrawn(rival) {
			continue
		}
		if share, people := r.chosenOver(rival, arm); share-2*deviation/math.Sqrt(people) > most {
			found, most = rival, share-2*deviation/math.Sqrt(people)
		}
	}
	return found
}

// standingsByMajority returns the rivals of the leader that are not refuted. Evidence is the log of
// the capital, relative to δ as in [strategy.Standing].
func (r *Racing) standingsByMajority(l *leads) standings {
	found := standings{Contenders: l.unknown()}
	e := &r.state.Election
	n := e.find(l.leader)
	if n == nil {
		return found
	}
	left := e.standing(&r.contest, n)
	found.Contenders = slices.DeleteFunc(found.Contenders, func(s strategy.Standing) bool { return !slices.Contains(left, s.Arm) })
	for i := range found.Contenders {
		s := &found.Contenders[i]
		s.Evidence = n.Log(s.Arm) + math.Log(1/r.contest.settings.Delta) - e.threshold(&r.contest)
		s.Chosen, _ = r.chosenOver(s.Arm, l.leader)
		s.Compared = n.Rivals[s.Arm].People
	}
	return found
}

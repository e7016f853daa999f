package racing

import (
	"bestpick/checks"
	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
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

// Finished reports whether later answers of a respondent only guide the choice of questions.
func (r *Racing) Finished(respondent string) bool {
	return r.state.Respondents != nil && r.state.Respondents.Closed[respondent]
}

// guide learns from an imported answer, which is no majority evidence.
func (r *Racing) guide(a choice.Answer) error {
	people := r.state.Respondents
	people.close(a.Respondent)
	people.Imported++
	if err := r.learn(a, 0); err != nil {
		return err
	}
	r.lookIfDue()
	return nil
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

// enter counts the answers of a complete respondent, and looks when it is time. The respondent belongs to
// the segment of the first answer.
func (r *Racing) enter(answers []choice.Answer) error {
	if len(answers) == 0 {
		return nil
	}
	s := &r.state
	s.Respondents.Complete++
	s.Respondents.Entered += len(answers)
	s.Election.enter(&r.contest, &s.Belief, answers)
	if len(s.Segments) > 0 {
		of, err := r.contest.settings.Model.segment(answers[0].Segment)
		if err != nil {
			return err
		}
		if err := s.Segments[of].enter(&r.contest, answers); err != nil {
			return err
		}
	}
	for _, a := range answers {
		if err := r.learn(a, 0); err != nil {
			return err
		}
	}
	r.lookIfDue()
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

// everyone returns the electorate of all respondents.
func (r *Racing) everyone() electorate {
	s := &r.state
	t := turnout{Answers: r.counted(), Each: s.Respondents.each(), Picks: r.tally.Picks()}
	return electorate{contest: &r.contest, belief: &s.Belief, election: &s.Election, turnout: t, leader: s.Leader}
}

// lookByMajority fits the model, chooses the leader, and then stops or plans.
func (r *Racing) lookByMajority() {
	s := &r.state
	if counted := r.counted(); counted >= s.NextTune {
		s.NextTune = counted + int(tuneEvery*float64(counted))
		r.tuneResiduals()
	} else {
		s.Belief.Fit(r.linear)
	}
	r.lookAtSegments()
	people := r.everyone()
	l, found, elected := people.look()
	l.zeroEliminated(found.Contenders)
	r.adopt(l, found)
	if elected {
		s.Decided, s.Elected, s.Deck = true, true, nil
		return
	}
	cyclic := s.Election.isCyclic(&r.contest)
	if s.Cycle = people.findCycle(cyclic); cyclic {
		s.Decided, s.Cyclic, s.Deck = true, true, nil
		return
	}
	s.Campaign, s.Refutation = people.newCampaign(&l), nil
	if s.Campaign != nil {
		s.Standings.Forecast = s.Campaign.forecast(r.contest.settings.K)
	}
	if s.Cycle != nil && !s.Election.Changed {
		s.Refutation = people.newRefutation(&l, s.Cycle)
	}
	r.plan(r.planner())
}

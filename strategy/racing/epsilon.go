package racing

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy/internal/survey"
)

const (
	maxSearched = 512 // contenders, each of which needs a search
	epsilonStep = 1e-3
)

// CertifiedEpsilon returns the smallest ε for which the answers so far certify the leader: with probability 1 − δ no arm is
// better by more than that, at whatever time this is called. It is at least Epsilon of the settings. It reports false where
// nothing can be stated: with Top, with clicks in the model, if the answers refute the model, or with more than 512 contenders.
//
// Only the arm that is truly best can make the statement wrong, and which arm that is does not depend on the answers. Unless the
// capital against it reaches 1/δ, which has probability at most δ, its lead over the leader is one that is not refuted. So ε is
// the largest lead that is not refuted, over the contenders: ε_j = sup{ε: M and the duels of arm j are below 1/δ at a lead of ε}.
// ε may depend on the answers, because the truth is in the set of what is not refuted whatever ε is.
//
// In a product the lead of the best profile is a sum over its groups, so that ε is the sum of the largest leads of each group.
func (r *Linear) CertifiedEpsilon() (epsilon float64, ok bool) {
	s, c := &r.state, &r.problem
	refuted := r.monitor.Finding().Status == checks.Refuted
	possible := !c.settings.Model.Clicks && c.settings.Top == 0 && !refuted
	if !possible || s.Standings.Others > 0 || len(s.Standings.Contenders) > maxSearched {
		return 0, false
	}
	if s.Decided {
		return c.settings.Epsilon, true
	}
	look, ok := r.evidence.Look(s.Memory.Least)
	if !ok {
		return 0, false
	}
	w := epsilonSearch{problem: c, belief: &s.Belief, duels: &s.Duels, leads: &r.leads, look: look, reach: look.Reach(c.threshold())}
	groups := map[int][]contenderLead{}
	for _, standing := range s.Standings.Contenders {
		group := 0
		if p := c.catalogue.Product(); p != nil {
			group = p.Difference(standing.Arm, s.Leader)
		}
		groups[group] = append(groups[group], contenderLead{arm: standing.Arm, most: w.most(standing.Arm)})
	}
	epsilon = c.epsilon * (c.groups - float64(len(groups))) // groups without contenders
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		epsilon += max(c.epsilon, w.largest(groups[group]))
	}
	return min(epsilon, evidence.MaxSpread), true
}

// An epsilonSearch finds the largest leads of contenders over the leader that are not refuted.
type epsilonSearch struct {
	problem *problem
	belief  *evidence.Belief
	duels   *duels
	leads   *leads
	look    *evidence.Look
	reach   evidence.Reach
}

// A contenderLead is the largest lead of a contender over the leader, at first without its duels.
type contenderLead struct {
	arm     int
	most    float64
	refined bool
}

// largest returns the largest lead of all contenders. It refines the largest until that is refined.
func (w *epsilonSearch) largest(contenders []contenderLead) float64 {
	for {
		largest := slices.MaxFunc(contenders, func(a, b contenderLead) int { return cmp.Compare(a.most, b.most) })
		if largest.refined {
			return largest.most
		}
		for i := range contenders {
			if contenders[i].arm == largest.arm {
				contenders[i] = contenderLead{largest.arm, w.refine(largest), true}
			}
		}
	}
}

// most returns the largest lead of a contender over the leader by the evidence about all of θ.
func (w *epsilonSearch) most(arm int) float64 {
	g := w.leads.Difference(w.leads.place(arm))
	floats.Scale(-1, g)
	solved := make([]float64, len(g))
	survey.Multiply(solved, w.belief.Inverse, g)
	return min(w.look.Support(g, w.problem.threshold(), w.reach.Guess(w.belief.Fitted, g, solved)), evidence.MaxSpread)
}

// refine returns the largest lead of a contender with the evidence of its duels, by bisection, because
// the evidence against a lead grows with the lead.
func (w *epsilonSearch) refine(c contenderLead) float64 {
	low, high := 0.0, c.most
	if math.IsInf(w.duelled(c.arm, high), -1) {
		return high
	}
	lead := w.leads.Difference(w.leads.place(c.arm))
	for high-low > epsilonStep*max(high, 0.1) {
		middle := (low + high) / 2
		found := choice.LogSumExp([]float64{w.duelled(c.arm, middle), w.look.Infimum(lead, middle)})
		if found >= w.problem.threshold() {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// duelled returns the log of the least capital of a contender's duels with the leader, over all leads of
// epsilon or more. Duels that cannot tell by how much an arm is better count for a lead of 0.
func (w *epsilonSearch) duelled(arm int, epsilon float64) float64 {
	if w.problem.settings.Model.halfway() {
		epsilon = 0
	}
	log := math.Inf(-1)
	for i := range w.duels.List {
		duel := &w.duels.List[i]
		if other, ok := w.problem.contender(duel, w.leads); ok && other == arm && !w.duels.Closed {
			log = choice.LogSumExp([]float64{log, duel.Infimum(epsilon)})
		}
	}
	return log
}

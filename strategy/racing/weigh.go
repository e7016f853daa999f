package racing

import (
	"cmp"
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

const (
	searchMargin  = 2.0  // below log(1/δ): no search if the approximate evidence is less
	searches      = 16   // at a look
	leastEvidence = -1e9 // reported if there is no evidence at all
)

// standings is the result of a look.
type standings struct {
	Contenders []strategy.Standing `json:"contenders"`       // arms not eliminated, by their lead
	Others     int                 `json:"others,omitempty"` // neither in the active set nor eliminated
	Forecast   strategy.Forecast   `json:"forecast"`
}

// A memory is the state of the weighing between looks.
type memory struct {
	Least      []float64   `json:"least"`                // where the evidence was least, as the next start
	Eliminated armSet      `json:"eliminated,omitempty"` // of very many arms
	Searched   map[int]int `json:"searched,omitempty"`   // answers when evidence against an arm was searched for
	Refuted    armSet      `json:"refuted,omitempty"`    // pairs of arms, with Top
}

func newMemory(c *problem) memory {
	m := memory{Least: make([]float64, c.dim())}
	if c.rows.whitening != nil {
		m.Eliminated = newArmSet(c.catalogue.Len())
	}
	return m
}

// A candidate is a contender with the approximate evidence against it.
type candidate struct {
	strategy.Standing

	guess float64
}

// A weighing is one look at the evidence against the arms of an active set.
type weighing struct {
	problem  *problem
	evidence *evidence.Anytime
	duels    *duels
	tilts    *evidence.Tilts // nil if tilts do not count
	leads    *leads
	memory   *memory
	numbers  *numbers // scratch
	answered int

	duelled []float64      // evidence from duels, by place
	look    *evidence.Look // nil if the search did not converge, or there is no evidence about all of θ
	radius  float64        // of the look
}

// weigh weighs the evidence against the contenders of earlier standings, and reports whether all
// arms but the leader are eliminated. An eliminated arm stays eliminated while the leader does not
// change: Ville's inequality bounds the probability that the truth is ever eliminated.
func (w *weighing) weigh(earlier standings) (found standings, certified bool) {
	w.duelled = w.duels.weigh(w.problem, w.leads)
	w.lookAtEvidence()
	found = earlier
	if w.look == nil && !w.problem.settings.Model.Clicks {
		found.Forecast = strategy.Forecast{}
		return found, false
	}
	if w.look != nil && w.problem.rows.whitening != nil {
		found.Others = w.problem.eliminateOthers(w.look, w.leads, w.memory.Eliminated, w.numbers)
	}
	found.Contenders = w.eliminate(earlier.Contenders)
	if len(found.Contenders) == 0 && found.Others > 0 {
		return found, false
	}
	found.Forecast = strategy.Forecast{}
	if len(found.Contenders) == 0 {
		return found, true
	}
	if w.look != nil {
		found.Forecast = w.problem.forecast(w.leads, found.Contenders, w.answered)
	}
	survey.SortByLead(found.Contenders)
	return found, false
}

// lookAtEvidence sets the look and its radius. It searches from the point where the evidence was least before.
func (w *weighing) lookAtEvidence() {
	look, settled := w.evidence.Look(w.memory.Least)
	if !settled {
		clear(w.memory.Least)
		return
	}
	copy(w.memory.Least, look.Theta)
	w.look, w.radius = look, look.Radius(w.problem.delta())
}

// eliminate returns the contenders that the evidence does not eliminate. It first uses the bound that needs no search, then
// searches for rivals that are likely to be eliminated, the most likely first and a limited number at a look.
func (w *weighing) eliminate(contenders []strategy.Standing) []strategy.Standing {
	threshold := w.problem.threshold()
	var candidates []candidate
	for _, s := range contenders {
		if found := w.standing(s.Arm); !(found.Evidence >= threshold) { // an uncertain arm stays
			candidates = append(candidates, found)
		} else {
			w.markEliminated(s.Arm)
		}
	}
	if w.look != nil {
		slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.guess, a.guess) })
	}
	kept := contenders[:0:0] // nil only for nil, because the log of a study distinguishes them
	for at, s := range candidates {
		place := w.leads.place(s.Arm)
		if w.look != nil && at < searches && s.guess >= threshold-searchMargin && w.worthASearch(s.Arm) {
			found := w.search(place)
			s.Evidence = max(s.Evidence, choice.LogSumExp([]float64{w.duelled[place], found}))
		}
		if !(s.Evidence >= threshold) {
			kept = append(kept, s.Standing)
		} else {
			w.markEliminated(s.Arm)
		}
	}
	return kept
}

// standing returns the standing of an arm against the leader, without a search. If the evidence
// comes from duels alone there is no look.
func (w *weighing) standing(arm int) candidate {
	place := w.leads.place(arm)
	if w.look == nil {
		return candidate{strategy.Standing{
			Arm: arm, Evidence: max(w.duelled[place], leastEvidence), Lead: w.leads.Lead(place),
			Low: -evidence.MaxSpread, High: evidence.MaxSpread,
		}, w.duelled[place]}
	}
	lead, width := w.look.Lead(w.leads.Difference(place))
	return candidate{strategy.Standing{
		Arm: arm, Lead: lead,
		Evidence: choice.LogSumExp([]float64{w.duelled[place], w.look.AgainstLead(lead+w.problem.epsilon, width)}),
		Low:      max(lead-w.radius*width, -evidence.MaxSpread),
		High:     min(lead+w.radius*width, evidence.MaxSpread),
	}, w.guess(place)}
}

// markEliminated records that an arm is eliminated, since it may leave the active set.
func (w *weighing) markEliminated(arm int) {
	if w.problem.rows.whitening != nil {
		w.memory.Eliminated.add(arm)
	}
}

// worthASearch reports whether to search for the evidence against an arm. If the active set does not have all arms, there are
// many arms and many answers to search, so after a search without success it waits until there are a tenth more answers.
func (w *weighing) worthASearch(arm int) bool {
	if w.leads.arms == nil {
		return true
	}
	if w.answered*10 < w.memory.Searched[arm]*11 {
		return false
	}
	if w.memory.Searched == nil {
		w.memory.Searched = map[int]int{}
	}
	w.memory.Searched[arm] = w.answered
	return true
}

// search returns a lower bound on the evidence about all of θ and from tilts against the arm at a place.
func (w *weighing) search(place int) float64 {
	if w.tilts == nil {
		return w.look.Infimum(w.leads.Difference(place), w.problem.epsilon)
	}
	return w.look.TiltedInfimum(w.tilts, w.leads.arm(place), w.leads.Difference(place), w.problem.epsilon, w.problem.threshold())
}

// guess approximates the evidence against the arm at a place. Tilts are evaluated where the lead has
// just vanished, and only if Z is so large that they may matter.
func (w *weighing) guess(place int) float64 {
	z := w.leads.Z(place)
	parts := []float64{w.duelled[place], w.look.Guess(z)}
	if w.tilts != nil && z+math.Log(tiltedShare) >= w.problem.threshold()-searchMargin {
		null := w.look.Vanished(w.leads.Difference(place), w.problem.epsilon)
		parts = append(parts, w.tilts.Log(w.leads.arm(place), null))
	}
	return choice.LogSumExp(parts)
}

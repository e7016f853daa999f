package majority

import (
	"math"
	"math/rand/v2"
	"slices"

	"bestpick/strategy/internal/survey"
)

// A refutation chooses questions that show that no arm is majority-best: where people seem to have a
// cycle of arms instead of a favourite. It compares every arm with the one that seems to beat it most.
type refutation struct {
	Left []beaten `json:"left"` // the arms that are not refuted
}

// A beaten arm is compared with another one that seems to beat it.
type beaten struct {
	Arm     int     `json:"arm"`
	By      int     `json:"by"`
	OnCycle bool    `json:"on_cycle,omitempty"`
	Takes   float64 `json:"takes"` // respondents until it is refuted, by the estimates
}

// newRefutation returns the refutation of all arms by those on a cycle, which are nominated without
// capital, so that their comparisons are counted.
func newRefutation(g *group, l *survey.Leads, cycle []int) *refutation {
	made, e := &refutation{}, g.election
	e.AgainstBest = e.AgainstBest.grown(g.arms.catalogue.Len())
	for _, arm := range cycle {
		e.nominate(g.arms, arm)
	}
	for arm := range e.AgainstBest {
		need := cycleThreshold(g.arms.delta) - e.AgainstBest[arm].Highest[0]
		if need <= 0 || g.arms.isWithdrawn(arm) {
			continue
		}
		at := slices.Index(cycle, arm)
		by := cycle[(at+1)%len(cycle)]
		for _, other := range cycle {
			if at < 0 && l.Lead(other) < l.Lead(by) {
				by = other
			}
		}
		share, _ := g.chosenOver(by, arm)
		takes := need / max(divergence(share, 0.5+g.arms.points()), leastGrowth)
		made.Left = append(made.Left, beaten{Arm: arm, By: by, OnCycle: at >= 0, Takes: takes})
	}
	return made
}

// divergence returns the Kullback–Leibler divergence of a share from a smaller one, in nats: what a
// respondent adds to the log of the capital at best. It is 0 if the share is not larger.
func divergence(share, from float64) float64 {
	if share <= from {
		return 0
	}
	return share*math.Log(share/from) + (1-share)*math.Log((1-share)/(1-from))
}

// question returns an arm that is not refuted and the one that beats it, and other arms if there is room.
// Two arms of a cycle are not shown with a third: together they may be tied.
func (r *refutation) question(size int, rng *rand.Rand) []int {
	var q []int
	takes := make([]float64, len(r.Left))
	for i := range r.Left {
		takes[i] = r.Left[i].Takes
	}
	for len(q) < size && slices.Max(takes) > 0 {
		drawn := draw(takes, rng)
		arm := &r.Left[drawn]
		takes[drawn] = 0
		if len(q) == 0 {
			q = append(q, arm.By)
		} else if arm.OnCycle {
			continue
		}
		if !slices.Contains(q, arm.Arm) {
			q = append(q, arm.Arm)
			arm.Takes = max(arm.Takes-1, 1)
		}
	}
	return q
}

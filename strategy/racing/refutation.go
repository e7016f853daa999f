package racing

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A refutation chooses questions that show that no arm is majority-best: where people seem to have a
// cycle of arms instead of a favourite. It compares every arm with the one that seems to beat it most.
type refutation struct {
	Left []beaten `json:"left"` // the arms that are not refuted
}

// A beaten arm is compared with another one that seems to beat it. Both are places in the active set.
type beaten struct {
	Place   int     `json:"place"`
	By      int     `json:"by"`
	OnCycle bool    `json:"on_cycle,omitempty"`
	Takes   float64 `json:"takes"` // respondents until it is refuted, by the estimates
}

// newRefutation returns the refutation of all arms by those on a cycle, which are nominated without
// capital, so that their comparisons are counted.
func (e *electorate) newRefutation(l *leads, cycle []int) *refutation {
	made := &refutation{}
	e.election.makeRoom(e.contest)
	for _, arm := range cycle {
		e.election.nominate(e.contest, arm)
	}
	for arm, log := range e.election.Doubts {
		need := e.contest.doubtThreshold() - log
		if need <= 0 || e.contest.isWithdrawn(arm) {
			continue
		}
		at := slices.Index(cycle, arm)
		by := cycle[(at+1)%len(cycle)]
		for _, other := range cycle {
			if at < 0 && l.lead(l.place(other)) < l.lead(l.place(by)) {
				by = other
			}
		}
		share, _ := e.chosenOver(by, arm)
		takes := need / max(divergence(share, 0.5+e.contest.points()), leastGrowth)
		made.Left = append(made.Left, beaten{Place: l.place(arm), By: l.place(by), OnCycle: at >= 0, Takes: takes})
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

// question returns the places of an arm that is not refuted and the one that beats it, and of other arms if
// there is room. Two arms of a cycle are not shown with a third: together they may be tied.
func (m *refutation) question(size int, rng *rand.Rand) []int {
	var q []int
	takes := make([]float64, len(m.Left))
	for i := range m.Left {
		takes[i] = m.Left[i].Takes
	}
	for len(q) < size && slices.Max(takes) > 0 {
		drawn := draw(takes, rng)
		arm := &m.Left[drawn]
		takes[drawn] = 0
		if len(q) == 0 {
			q = append(q, arm.By)
		} else if arm.OnCycle {
			continue
		}
		if !slices.Contains(q, arm.Place) {
			q = append(q, arm.Place)
			arm.Takes = max(arm.Takes-1, 1)
		}
	}
	return q
}

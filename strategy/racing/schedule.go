package racing

import (
	"math"

	"bestpick/evidence"
)

const (
	firstShare = 0.05 // of the capital, from the beginning
	firstLevel = 1.0  // of Z
	levelRatio = 1.2  // from one to the next
	levelShare = 0.1  // of the capital, for the best level
	levelWidth = 0.7  // of the weights, in log Z
	maxLevel   = 1e12
	lateShare  = 0.05 // of the cash, when time has doubled
	firstLate  = 20   // answers
)

// A schedule decides when to invest capital.
type schedule struct {
	Level float64 `json:"level"` // Z at which the next investment is made
	Late  int     `json:"late"`  // or the number of answers, if Z does not rise
}

// invest invests capital when Z has reached the next level, more of it the nearer that is to d/2,
// and a little when the answers have doubled without.
func (s *schedule) invest(a *evidence.Anytime, z float64, dim, answered int) {
	best := max(3, float64(dim)/2)
	share := 0.0
	for ; s.Level <= z && s.Level < maxLevel; s.Level *= levelRatio {
		x := math.Log(s.Level/best) / levelWidth
		share += levelShare * math.Exp(-x*x/2)
	}
	switch {
	case share > 0:
		a.Start(min(share, a.Cash()/2))
	case answered >= s.Late:
		a.Start(lateShare * a.Cash())
	default:
		return
	}
	s.Late = 2*answered + firstLate
}

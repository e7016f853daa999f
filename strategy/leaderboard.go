package strategy

import "math"

// A Rank describes an arm in the leaderboard. With probability 1 − δ the statements of all ranks hold,
// at all looks at once, and the certificate with them.
type Rank struct {
	Arm int `json:"arm"`

	// Utility is the estimated utility of the arm minus the leader's, because only differences matter.
	// The true difference lies between Low and High.
	Utility float64 `json:"utility"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`

	// First and Last bound the true rank, which is one more than the number of better arms. The leader
	// ranks before arms of the same utility.
	First int `json:"first"`
	Last  int `json:"last"`
}

// A Share is the share of choices between an arm and the leader in which the arm is picked.
type Share struct{ Estimate, Low, High float64 }

// Share returns the share of the arm against the leader: σ(u) for a difference u in utility.
func (r Rank) Share() Share {
	return Share{logistic(r.Utility), logistic(r.Low), logistic(r.High)}
}

func logistic(u float64) float64 { return 1 / (1 + math.Exp(-u)) }

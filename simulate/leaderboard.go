package simulate

import "bestpick/strategy"

// rounding is the error of differences of utilities that is not counted.
const rounding = 1e-9

// Lead returns the true utility of an arm minus that of another.
func (i Instance) Lead(arm, other int) float64 { return i.utility(arm) - i.utility(other) }

// Covers reports whether all intervals of a leaderboard contain the true differences in utility from the
// leader, and all ranges of ranks the true ranks: one more than the number of better arms in the leaderboard,
// where the leader ranks before arms of the same utility.
func (i Instance) Covers(ranks []strategy.Rank, leader int) bool {
	for _, r := range ranks {
		if truth := i.Lead(r.Arm, leader); !(r.Low-rounding <= truth && truth <= r.High+rounding) {
			return false
		}
		rank := 1
		for _, other := range ranks {
			if lead := i.Lead(other.Arm, r.Arm); lead > rounding || other.Arm == leader && r.Arm != leader && lead >= -rounding {
				rank++
			}
		}
		if rank < r.First || rank > r.Last {
			return false
		}
	}
	return true
}

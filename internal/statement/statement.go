// Package statement puts results into words, for people: what is certified or proven, what it rests on, and the state of
// a study, in every language of the pages. Pages, API and terminal use the same sentences.
package statement

import (
	"math"

	"bestpick/evidence"
)

const (
	all = 100 // people
	// Half of 100 people.
	Half       = 50
	negligible = 1e-6 // of a person, or a percent
)

// People returns how many of 100 people choose any single other option over the certified one at most: 55 at ε = 0.2.
func People(epsilon float64) int { return people(0.5 + evidence.Points(epsilon)) }

// people returns a share as a number of 100 people that is not smaller.
func people(share float64) int { return int(math.Ceil(all*share - negligible)) }

// morePeople returns a number of 100 people that is not larger than the share that is the limit at an ε.
func morePeople(epsilon float64) int {
	return int(math.Floor(all*(0.5+evidence.Points(epsilon)) + negligible))
}

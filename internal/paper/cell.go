package paper

import (
	"fmt"
	"math"
)

// The strategies, by the names that package baseline has for them, and GLGapE with the radius of
// Kazerouni and Wein.
const (
	random   = "random"
	static   = "static"
	adaptive = "adaptive"
	glgape   = "glgape"
	glgapeKW = "glgape-kw"
)

// The settings that all experiments of the paper share.
const (
	omega        = 0.01
	sigma        = 1
	delta        = 0.05
	kappa        = 0.5
	ridge        = 1e-4
	mu           = 1e-4
	explore      = 5
	alphaOfSoare = 0.1   // with the batch rule as it is written
	alphaToMeet  = 0.085 // meets Table 1 of the paper, which does not state its own
)

// A Cell is a strategy at one setting of the paper's instance: a point of a figure or a
// line of a table.
type Cell struct {
	Strategy string
	D        int     // dimension; there are d+1 arms
	K        int     // arms in a question
	Gaussian bool    // picks by Gaussian utilities instead of softmax
	Alpha    float64 // of the adaptive strategy; 0 for the others

	// Times are the numbers of questions after which the best arm by the estimate is compared
	// with the true one. The run ends with the last. Defaults to none.
	Times []int
}

// Key identifies the cell, so that exhibits with the same cell share its runs.
func (c Cell) Key() string {
	key := fmt.Sprintf("%s d=%d K=%d", c.Strategy, c.D, c.K)
	if c.Gaussian {
		key += " gaussian"
	}
	if c.Alpha != 0 {
		key += fmt.Sprintf(" α=%g", c.Alpha)
	}
	if n := len(c.Times); n > 0 {
		key += fmt.Sprintf(" %d looks to t=%d", n, c.Times[n-1])
	}
	return key
}

// Cost estimates the number of questions of a run, for progress bars.
func (c Cell) Cost() float64 {
	if n := len(c.Times); n > 0 {
		return float64(c.Times[n-1])
	}
	d, k := float64(c.D), float64(c.K)
	questions := 16_700 * math.Pow(d/3, 3.4) * 3 / k
	if c.Gaussian {
		questions *= 0.6
	}
	if c.Strategy == adaptive {
		questions = min(questions, 2000*d) // each of its questions takes a third of the time
	}
	return questions
}

// A Record is the stored result of a run.
type Record struct {
	Cell      string `json:"cell"` // its key
	Run       int    `json:"run"`
	Questions int    `json:"questions"`
	Stopped   bool   `json:"stopped"`
	Correct   bool   `json:"correct"`
	Shown     []int  `json:"shown"` // slots that each arm was shown in

	// Right has a 1 for every look at which the best arm by the estimate was the true
	// one, and a 0 for every other.
	Right string `json:"right,omitempty"`
}

// Valid reports whether a record is plausible for a run of an exhibit.
func (r Record) Valid() bool {
	for _, e := range Exhibits() {
		for _, c := range e.Cells {
			if c.Key() == r.Cell {
				slots := 0
				for _, shown := range r.Shown {
					slots += shown
				}
				return r.Run >= 0 && slots > 0 && len(r.Shown) == c.D+1 && len(r.Right) == len(c.Times)
			}
		}
	}
	return false
}

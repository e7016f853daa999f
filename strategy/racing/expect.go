package racing

import (
	"fmt"
	"math"

	"bestpick/choice"
)

// An Expectation estimates, before the first answer, how many answers a study needs: half of all
// studies need between Low and High, as many below Median as above.
type Expectation struct {
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

// String returns the expectation as a sentence.
func (e Expectation) String() string {
	return fmt.Sprintf("about %.0f are needed (half of all studies: %.0f to %.0f), if utilities differ as much as is usual", e.Median, e.Low, e.High)
}

// Expect estimates how many answers a study of these arms needs for an arm within 0.2 of the best,
// if utilities have a standard deviation of about 1.3 over the arms. It is a rule of thumb, from
// simulations with random arms and preferences (TestLongExpectation): with r independent features
//
//	median ≈ 24·r^1.3·√((3/4)/(1 − 1/K))·(log(1/δ) + r/2)/(log 20 + r/2),
//
// and about half of all studies between 0.65 and 2 times that. The number depends most on the
// distance between the best and the second best arm, which is unknown before a study. Of the
// settings, Expect uses K and Delta.
func Expect(c *choice.Catalogue, s Settings) Expectation {
	return ExpectFeatures(min(c.Dim(), c.Len()-1), s)
}

// ExpectFeatures does the same for arms with this many independent features.
func ExpectFeatures(features int, s Settings) Expectation {
	s = s.WithDefaults()
	r := float64(features)
	median := 24 * math.Pow(r, 1.3) * math.Sqrt(0.75/(1-1/float64(s.K))) * (math.Log(1/s.Delta) + r/2) / (math.Log(20) + r/2)
	return Expectation{0.65 * median, median, 2 * median}
}

package strategy

import (
	"fmt"
	"math"

	"bestpick/choice"
)

// An Expectation is about how many answers the certified strategy will need, before any is in:
// half of all studies are expected between Low and High, as many below Median as above.
type Expectation struct {
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

// String says so.
func (e Expectation) String() string {
	return fmt.Sprintf("about %.0f are needed (half of all studies: %.0f to %.0f), if utilities differ as much as is usual", e.Median, e.Low, e.High)
}

// Expect says how many answers a study of these arms is likely to need, if utilities have a
// standard deviation of about 1.3 over the arms. It is a rule of thumb, from simulations with
// random preferences (TestLongExpectation): with r independent features
//
//	median ≈ 18·r^1.4·(3/4)/(1 − 1/K)·(log(1/δ) + r/2)/(log 20 + r/2),
//
// for ε = 0.2, and more for a smaller ε, up to twice; a quarter of studies need less than 0.7
// times that, and a quarter more than 1.5·√r times: it depends on how far the second best arm is
// from the best, which nobody knows before.
func Expect(c *choice.Catalogue, s Settings) Expectation {
	s = s.WithDefaults()
	r := float64(min(c.Dim(), c.Len()-1))
	median := 18 * math.Pow(r, 1.4) * 0.75 / (1 - 1/float64(s.K)) * (math.Log(1/s.Delta) + r/2) / (math.Log(20) + r/2)
	return Expectation{0.7 * median, median, 1.5 * math.Sqrt(r) * median}
}

package baseline

import (
	"fmt"
	"math"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/strategy"
)

// Settings configures the strategies. The zero value has every default: the settings of the paper's experiments.
type Settings struct {
	// K is the number of arms in a question. Defaults to 3, and to 2 for strategies that ask about pairs.
	K int

	// Delta is the probability of a wrong decision that the bound aims at. Defaults to 0.05.
	Delta float64

	// Kappa is κ of the paper's bound. Defaults to 0.5, which is far above the true value for most instances.
	Kappa float64

	// Ridge is λ, the penalty λ‖θ‖² on the mean log-likelihood. Defaults to 1e-4.
	Ridge float64

	// Mu is μ, which makes V = μI + ΣXX' invertible. Defaults to 1e-4.
	Mu float64

	// Explore is the number of random questions at the start, and at the start of every batch. Defaults to 5; -1 for none.
	Explore int

	// Criterion is the uncertainty that the greedy rule reduces. Defaults to XY.
	Criterion design.Criterion

	// Ties is the tie rule of the greedy rule. Defaults to random.
	Ties design.TieRule

	// Alpha is α of the adaptive strategy: a batch ends when the uncertainty has fallen to that
	// share of the uncertainty of the previous batch. Defaults to 0.1.
	Alpha float64

	// Batches selects the uncertainty that Alpha refers to. Defaults to Literal.
	Batches BatchRule

	// Radius selects the confidence radius of GLGapE. Defaults to PaperRadius.
	Radius Radius

	// Epsilon is the largest lead in utility of any arm over the one that Trace-the-Best returns, which
	// needs one. The others ignore it.
	Epsilon float64

	// Seed makes the random choices repeatable. Defaults to 0.
	Seed uint64
}

// A BatchRule is one of two readings of the paper's batch length.
type BatchRule int

const (
	// Literal follows the pseudo-code: a batch continues while ρ_j/t ≥ α·ρ_{j−1}/n_{j−1}, with ρ_j
	// = max g'V⁻¹g over the active differences.
	Literal BatchRule = iota

	// Normalised takes ρ per question, as the analysis does: a batch continues while max g'V⁻¹g ≥ α
	// times its value at the end of the previous batch.
	Normalised
)

// A Radius is the width of the confidence bound that GLGapE asks and stops by.
type Radius int

const (
	// PaperRadius is the width of the paper's bound ([evidence.PaperBound]), which all other strategies have.
	PaperRadius Radius = iota

	// KazerouniWein is the width in the article that introduced GLGapE ([evidence.KazerouniWeinBound]), with Kappa for c_μ.
	KazerouniWein
)

// WithDefaults returns the settings with every zero field at its default.
func (s Settings) WithDefaults() Settings {
	def := func(field *float64, value float64) {
		if *field == 0 {
			*field = value
		}
	}
	def(&s.Delta, 0.05)
	def(&s.Kappa, 0.5)
	def(&s.Ridge, 1e-4)
	def(&s.Mu, 1e-4)
	def(&s.Alpha, 0.1)
	if s.K == 0 {
		s.K = 3
	}
	if s.Explore == 0 {
		s.Explore = 5
	}
	return s
}

// check returns an error if the strategies cannot run on the arms of a catalogue with these
// settings after [Settings.WithDefaults].
func (s Settings) check(c *choice.Catalogue) error {
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 1) }
	switch {
	case s.K < 2 || s.K > strategy.MaxK:
		return fmt.Errorf("K must be at least 2 and at most %d, got %d", strategy.MaxK, s.K) //nolint:staticcheck // K is a symbol
	case !(s.Delta > 0 && s.Delta < 1):
		return fmt.Errorf("δ must lie between 0 and 1, got %v", s.Delta)
	case !positive(s.Kappa):
		return fmt.Errorf("κ must be positive, got %v", s.Kappa)
	case !positive(s.Ridge):
		return fmt.Errorf("the ridge must be positive, got %v", s.Ridge)
	case !positive(s.Mu):
		return fmt.Errorf("μ must be positive, got %v", s.Mu)
	case !(s.Alpha > 0 && s.Alpha < 1):
		return fmt.Errorf("α must lie between 0 and 1, got %v", s.Alpha)
	case !(s.Epsilon >= 0) || math.IsInf(s.Epsilon, 1):
		return fmt.Errorf("ε must be at least 0 and finite, got %v", s.Epsilon)
	case s.Explore < -1:
		return fmt.Errorf("the number of random questions at the start must be at least -1, got %d", s.Explore)
	}
	return s.checkScale(c)
}

// checkScale returns an error for a μ that is lost in the rounding of V, or that outweighs V: it
// must lie between 1e-8 and 1 times the squared norm of the longest arm.
func (s Settings) checkScale(c *choice.Catalogue) error {
	longest := 0.0
	for i := range c.Len() {
		squared := 0.0
		for _, x := range c.Arm(i) {
			squared += x * x
		}
		longest = max(longest, squared)
	}
	if s.Mu < 1e-8*longest || s.Mu > longest {
		return fmt.Errorf("μ = %g does not suit arms of norm up to %.3g; scale the arms into the unit ball, or choose "+
			"another μ", s.Mu, math.Sqrt(longest))
	}
	return nil
}

// Package design chooses questions that reduce uncertainty: which arms to show so that the estimate
// of θ becomes precise where it matters.
//
// Uncertainty is measured as in "Pure Exploration with Structured Preference Feedback": with V =
// Σ_s X_s X_s', the sum of aa' over all arms shown, the width of the confidence interval of g'θ is
// proportional to ‖g‖_{V⁻¹} (Theorem 1). Theorem 1 assumes arms in the unit ball; [Scale] brings
// them there.
//
//   - [Greedy] chooses arms one by one (Algorithm 1, line 10), by the XY or the G criterion.
//   - [Precision] maintains V and the norms of arms, for few and for very many.
//   - [Widest] finds the question that carries most information about one direction.
package design

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// MaxProducts is the largest number of arms for which [NewPrecision] stores the products of all
// pairs of arms. For 2,048 arms they take 32 MB.
const MaxProducts = 2048

// A Precision maintains V = μI + Σ aa' over the arms shown so far, and the norms of arms and of
// their differences. [NewPrecision] returns one of two implementations: [Products], for up to
// [MaxProducts] arms, or one for very many.
type Precision interface {
	// Reset sets V = μI.
	Reset(mu float64)

	// Show counts an arm as shown: V ← V + aa'.
	Show(arm int)

	// Norm returns ‖a_i‖²_{V⁻¹}.
	Norm(i int) float64

	// Gap returns ‖a_i − a_j‖²_{V⁻¹}. Successive calls with the same i are cheapest.
	Gap(i, j int) float64

	// V returns V. The caller must not change it.
	V() *mat.SymDense
}

// NewPrecision returns a Precision with V = μI, where μ > 0, of the kind that suits the number of
// arms.
func NewPrecision(catalogue *choice.Catalogue, mu float64) Precision {
	if catalogue.Len() > MaxProducts {
		return newRootPrecision(catalogue, mu)
	}
	return NewProducts(catalogue, mu)
}

// Scale divides all features by the norm of the longest arm, so that every arm lies in the unit
// ball as Theorem 1 assumes. It returns the scaled catalogue and that norm. Estimates for the
// scaled arms are the original θ times the norm; the best arm does not change. A catalogue within
// the ball is returned unchanged, with 1.
func Scale(c *choice.Catalogue) (*choice.Catalogue, float64, error) {
	longest := 0.0
	for i := range c.Len() {
		longest = max(longest, norm(c.Arm(i)))
	}
	if longest <= 1 {
		return c, 1, nil
	}
	ids, rows := make([]string, c.Len()), make([][]float64, c.Len())
	for i := range rows {
		ids[i] = c.ID(i)
		for _, x := range c.Arm(i) {
			rows[i] = append(rows[i], x/longest)
		}
	}
	scaled, err := choice.NewCatalogue(ids, c.Features(), rows)
	return scaled, longest, err
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum = math.Hypot(sum, x)
	}
	return sum
}

package design

import (
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// MaxProducts is the largest number of arms for which [NewPrecision] stores the products of all
// pairs of arms. For 2,048 arms they take 32 MB.
const MaxProducts = 2048

// A Precision maintains V = μI + Σ aa' over the arms shown so far, and the norms of arms and of
// their differences. There are two implementations: [Products], for up to [MaxProducts] arms, and
// [Norms], for very many.
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
		return NewNorms(catalogue, mu)
	}
	return NewProducts(catalogue, mu)
}

package design

import (
	"encoding/json"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// MaxProducts is the number of arms up to which [NewPrecision] keeps the products of all
// pairs of arms: of 2,048 arms they take 32 MB.
const MaxProducts = 2048

// A Precision keeps track of V = μI + Σ aa' over the arms shown so far, and of the norms of
// arms and of their differences. Saved and restored as JSON it goes on exactly as it would
// have. There are two: [Products], for up to [MaxProducts] arms, and [Norms], for very many.
type Precision interface {
	json.Marshaler
	json.Unmarshaler

	// Reset goes back to V = μI.
	Reset(mu float64)

	// Show counts one more showing of an arm: V ← V + aa'.
	Show(arm int)

	// Norm returns ‖a_i‖²_{V⁻¹}.
	Norm(i int) float64

	// Gap returns ‖a_i − a_j‖²_{V⁻¹}. Of many calls those with the same i cost least.
	Gap(i, j int) float64

	// V returns V. The caller must not change it.
	V() *mat.SymDense
}

// NewPrecision starts from V = μI, with μ > 0, in the way that suits the number of arms.
func NewPrecision(catalogue *choice.Catalogue, mu float64) Precision {
	if catalogue.Len() > MaxProducts {
		return NewNorms(catalogue, mu)
	}
	return NewProducts(catalogue, mu)
}

package strategy

import "bestpick/choice"

// An Elimination counts the arms other than the leader.
type Elimination struct {
	Eliminated int // arms that the strategy's bound excludes from being better than the leader by more than ε
	Rivals     int // arms that may still be better
}

// NewElimination returns the elimination with a number of rivals left among the arms of a catalogue,
// of which some are withdrawn. In a product it counts the profiles that differ from the leader in one
// group, because these decide.
func NewElimination(c *choice.Catalogue, withdrawn, rivals int) Elimination {
	others := c.Len() - 1 - withdrawn
	if product := c.Product(); product != nil {
		others = len(product.Changes(0)) // as many for every profile
	}
	return Elimination{Eliminated: max(0, others-rivals), Rivals: rivals}
}

// Share returns the share of the other arms that are eliminated: 0 at the start, and 1 when only the
// leader is left.
func (e Elimination) Share() float64 {
	if e.Rivals == 0 {
		return 1
	}
	return float64(e.Eliminated) / float64(e.Eliminated+e.Rivals)
}

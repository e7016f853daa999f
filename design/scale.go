package design

import (
	"math"

	"bestpick/choice"
)

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

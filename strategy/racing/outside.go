package racing

import (
	"gonum.org/v1/gonum/floats"

	"bestpick/strategy"
)

// outsideSearches is the number of searches at a look for arms that are better or worse than none.
const outsideSearches = 4

// compareWithOutside adds the arms that the evidence shows to be better or worse than none of the
// arms to those found before.
//
// Arm a is better if every θ with a'θ ≤ κ is refuted, κ the constant of none. If any such statement is
// wrong, the true θ is refuted by the evidence about all of θ. A wrong leader needs that too, or the
// duels of the best arm, which have the rest of the capital: so all statements and the verdict
// together are wrong with probability at most δ.
func (w *weighing) compareWithOutside(found strategy.Outside) strategy.Outside {
	if !found.Offered || w.look == nil {
		return found
	}
	c := w.problem
	none, threshold, left := c.rows.none(), c.threshold(), outsideSearches
	g := make([]float64, c.dim())
	for arm := range c.catalogue.Len() {
		if found.Decided(arm) {
			continue
		}
		floats.SubTo(g, c.rows.arms.Arm(arm), none)
		lead, width := w.look.Lead(g)
		list := &found.Better
		if lead < 0 {
			list, lead = &found.Worse, -lead
			floats.Scale(-1, g)
		}
		evidence := w.look.AgainstLead(lead, width)
		z := lead * lead / (2 * width * width)
		if evidence < threshold && left > 0 && w.look.Guess(z) >= threshold-searchMargin {
			left--
			evidence = max(evidence, w.look.Infimum(g, 0))
		}
		if evidence >= threshold {
			*list = append(*list, arm)
		}
	}
	return found
}

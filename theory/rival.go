package theory

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// A Rival is the arm that is hardest to distinguish from the best.
type Rival struct {
	Best, Arm int
	Gap       float64 // lead of the best arm

	// Questions is the least average number of questions in which any strategy can return the best
	// arm with probability 1 − δ. It is infinite if the two arms are tied.
	Questions float64
}

// Rival returns the arm that is hardest to distinguish from the best, for a strategy that may
// return any arm within epsilon of the best, from answers that rank the given number of picks. It
// reports false if all arms have the same features. Unlike T* it takes a few passes over the arms,
// so it suits very many arms and the profiles of a product.
//
// To err with probability at most δ, a strategy has to distinguish θ* from every θ under which
// another arm is better by more than ε, and needs
//
//	E[questions] ≥ log(1/(2.4δ)) / max_S KL(μ^S(θ*) ‖ μ^S(θ)).
//
// Let θ change the utilities of the arms by v_i. A log-sum-exp has second derivatives along v of at
// most a quarter of the squared range of v, so the divergence of a pick is at most range(v)²/8 for
// any question. Any such θ gives a bound. This one moves the rival j past the best arm b with the
// least variance over the arms: in whitened coordinates
//
//	θ − θ* = −(Δ_j + ε)·g/‖g‖²,   g = a_b − a_j,   for the j that minimises (Δ_j + ε)/‖g‖.
//
// Arms with the same features as the best are not rivals: returning any of them is correct.
func (p Problem) Rival(epsilon float64, picks int) (rival Rival, ok bool) {
	white, err := whitened(p.Catalogue)
	if err != nil {
		return Rival{}, false
	}
	best, rivals := p.rivals()
	u, top, nearest := p.Catalogue.Utility(best, p.Theta), white.Arm(best), math.Inf(1)
	g := make([]float64, white.Dim())
	for _, arm := range rivals {
		floats.SubTo(g, top, white.Arm(arm))
		gap := u - p.Catalogue.Utility(arm, p.Theta)
		if gap <= tieTolerance*max(1, math.Abs(u)) {
			gap = 0
		}
		if norm := floats.Norm(g, 2); norm > 0 && (gap+epsilon)/norm < nearest {
			nearest, ok = (gap+epsilon)/norm, true
			rival = Rival{Best: best, Arm: arm, Gap: gap}
		}
	}
	if !ok {
		return Rival{}, false
	}
	floats.SubTo(g, top, white.Arm(rival.Arm))
	change := (rival.Gap + epsilon) * width(white, g) / floats.Dot(g, g)
	rival.Questions = 8 * p.LogError() / (float64(picks) * change * change)
	return rival, true
}

// rivals returns the best arm, the first of several, and the candidates for its rival: all arms, or
// in a product the profiles that differ in one group.
func (p Problem) rivals() (best int, rivals []int) {
	if product := p.Catalogue.Product(); product != nil {
		best = product.Best(product.Utilities(p.Theta))
		return best, product.Changes(best)
	}
	rivals = make([]int, p.Catalogue.Len())
	for arm := range rivals {
		rivals[arm] = arm
		if p.Catalogue.Utility(arm, p.Theta) > p.Catalogue.Utility(best, p.Theta) {
			best = arm
		}
	}
	return best, rivals
}

// whitened returns the arms in coordinates that are centred and uncorrelated.
func whitened(c *choice.Catalogue) (*choice.Catalogue, error) {
	const few = 4096
	if c.Product() != nil || c.Len() <= few {
		return choice.Whiten(c)
	}
	white, err := choice.NewWhitening(c)
	if err != nil {
		return nil, err
	}
	return white.Catalogue(), nil
}

// width returns the range of a'v over the arms.
func width(c *choice.Catalogue, v []float64) float64 {
	if p := c.Product(); p != nil {
		sum := 0.0
		for _, group := range p.Utilities(v) {
			sum += floats.Max(group) - floats.Min(group)
		}
		return sum
	}
	low, high := math.Inf(1), math.Inf(-1)
	for arm := range c.Len() {
		u := c.Utility(arm, v)
		low, high = min(low, u), max(high, u)
	}
	return high - low
}

package simulate

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
)

// A Violation is a crowd whose answers violate the model in the way that a check tests for.
type Violation struct {
	Check checks.Check

	// Strength is a constant in the utilities (position, appeal, context), a share of the
	// respondents (clicks), or an angle between two θ in degrees (drift, people). The default is
	// large enough to matter: 0.3, 0.5, 0.5, 0.2, 30 and 90.
	Strength float64

	// Each is the number of questions per respondent. Defaults to 20.
	Each int

	// At is the number of answers after which preferences change. Defaults to 2,500.
	At int
}

// withDefaults returns the violation with every zero field at its default.
func (v Violation) withDefaults() Violation {
	if v.Strength == 0 {
		v.Strength = [...]float64{0.3, 0.5, 0.5, 0.2, 30, 90}[v.Check]
	}
	if v.Each == 0 {
		v.Each = 20
	}
	if v.At == 0 {
		v.At = 2500
	}
	return v
}

// Of returns the instance with its true utilities, and the crowd. The violation favours the second
// best arm: directly, by the arm most similar to it as a decoy, or by turning θ towards it. Under
// drift the best arm is the best at the time; under heterogeneity it has the best mean utility.
func (v Violation) Of(in Instance) (Instance, func(*rand.Rand) crowd.Respondent) {
	v = v.withDefaults()
	c := in.Catalogue
	best, second := in.bestTwo()
	adjusted := func(adjust func(choice.Question, []float64)) func(*rand.Rand) crowd.Respondent {
		return v.people(func(rng *rand.Rand) crowd.Respondent {
			return &crowd.Adjusted{Catalogue: c, Theta: in.Theta, Adjust: adjust, Noise: crowd.Gumbel, Rng: rng}
		})
	}
	switch v.Check {
	case checks.Position:
		return in, adjusted(crowd.FavourSlots(v.Strength))
	case checks.Appeal:
		in.Utilities = utilities(c, in.Theta)
		in.Utilities[second] += v.Strength
		return in, adjusted(crowd.FavourArm(second, v.Strength))
	case checks.Context:
		decoy := nearest(c, second, best)
		return in, adjusted(crowd.Decoyed(second, decoy, v.Strength))
	case checks.Clicks:
		return in, func(rng *rand.Rand) crowd.Respondent {
			mnl := crowd.NewMNL(c, in.Theta, rng)
			random := &crowd.Inattentive{Share: 1, Other: mnl, Rng: rng}
			return &crowd.People{Each: v.Each, Join: func(int, int) crowd.Respondent {
				if rng.Float64() < v.Strength {
					return random
				}
				return mnl
			}}
		}
	case checks.Drift:
		turned := turn(c, in.Theta, best, second, v.Strength)
		in.Earlier, in.Utilities, in.Until = utilities(c, in.Theta), utilities(c, turned), v.At
		return in, v.people(func(rng *rand.Rand) crowd.Respondent {
			return &crowd.Changing{Before: crowd.NewMNL(c, in.Theta, rng), After: crowd.NewMNL(c, turned, rng), At: v.At}
		})
	case checks.People:
		turned := turn(c, in.Theta, best, second, v.Strength)
		in.Utilities = utilities(c, turned)
		floats.Add(in.Utilities, utilities(c, in.Theta))
		floats.Scale(0.5, in.Utilities)
		return in, func(rng *rand.Rand) crowd.Respondent {
			members := []crowd.Respondent{crowd.NewMNL(c, in.Theta, rng), crowd.NewMNL(c, turned, rng)}
			return &crowd.People{
				Each: v.Each, Segments: Segments(),
				Join: func(_, segment int) crowd.Respondent { return members[segment] }, Rng: rng,
			}
		}
	}
	panic("simulate: unknown violation")
}

// Segments returns the segments of a heterogeneous crowd, which have equal shares.
func Segments() []string { return []string{"a", "b"} }

// people returns a crowd whose respondents have names.
func (v Violation) people(join func(*rand.Rand) crowd.Respondent) func(*rand.Rand) crowd.Respondent {
	return func(rng *rand.Rand) crowd.Respondent {
		respondent := join(rng)
		return &crowd.People{Each: v.Each, Join: func(int, int) crowd.Respondent { return respondent }}
	}
}

func utilities(c *choice.Catalogue, theta []float64) []float64 {
	all := make([]float64, c.Len())
	for arm := range all {
		all[arm] = c.Utility(arm, theta)
	}
	return all
}

// nearest returns the arm most similar to arm, other than except.
func nearest(c *choice.Catalogue, arm, except int) int {
	found, least := -1, math.Inf(1)
	for other := range c.Len() {
		if d := floats.Distance(c.Arm(arm), c.Arm(other), 2); other != arm && other != except && d < least {
			found, least = other, d
		}
	}
	return found
}

// turn returns θ turned by an angle in degrees, in the plane of θ and the difference of two
// arms, in favour of the second.
func turn(c *choice.Catalogue, theta []float64, arm, other int, degrees float64) []float64 {
	aside := make([]float64, len(theta))
	floats.SubTo(aside, c.Arm(other), c.Arm(arm))
	return towards(theta, aside, degrees)
}

// towards returns θ turned by an angle in degrees towards a direction, which it changes.
func towards(theta, aside []float64, degrees float64) []float64 {
	length := floats.Norm(theta, 2)
	floats.AddScaled(aside, -floats.Dot(aside, theta)/(length*length), theta)
	turned := make([]float64, len(theta))
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	floats.AddScaled(turned, cos, theta)
	if norm := floats.Norm(aside, 2); norm > 1e-9*length { // one dimension has no orthogonal direction
		floats.AddScaled(turned, sin*length/norm, aside)
	}
	return turned
}

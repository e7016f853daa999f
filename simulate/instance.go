package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"bestpick/choice"
)

// An Instance is a catalogue with the true preferences.
type Instance struct {
	Catalogue *choice.Catalogue
	Theta     []float64 // θ*

	// Utilities has the true utilities of the arms if they are not a'θ*. If preferences change,
	// Earlier has the utilities up to the answer Until.
	Utilities []float64
	Earlier   []float64
	Until     int

	// Outside is the true utility of none of the arms, where respondents may answer that.
	Outside *float64

	// Chosen has, for each arm, the share of people who choose every other arm over it, from two alone, where
	// people differ. Otherwise it follows from the utilities.
	Chosen [][]float64
}

// after returns the instance as of a number of answers.
func (i Instance) after(answers int) Instance {
	if answers <= i.Until {
		i.Utilities = i.Earlier
	}
	return i
}

// utility returns the true utility of an arm.
func (i Instance) utility(arm int) float64 {
	if i.Utilities != nil {
		return i.Utilities[arm]
	}
	return i.Catalogue.Utility(arm, i.Theta)
}

// Soare is the instance of the paper's experiments, after Soare, Lazaric and Munos:
// the arms a_i = e_i for i ≤ d and a_{d+1} = (cos ω, sin ω, 0, …), with
// θ* = (2, 0, …, 0) + shift·(1, …, 1).
func Soare(d int, omega, shift float64) (Instance, error) {
	if d < 2 {
		return Instance{}, fmt.Errorf("the instance needs at least 2 dimensions, got %d", d)
	}
	rows := make([][]float64, d+1)
	theta := make([]float64, d)
	for i := range rows {
		rows[i] = make([]float64, d)
		if i < d {
			rows[i][i] = 1
			theta[i] = shift
		}
	}
	rows[d][0], rows[d][1] = math.Cos(omega), math.Sin(omega)
	theta[0] += 2
	return newInstance(rows, theta)
}

// Sphere is an instance with n arms uniform on the unit sphere in d dimensions and θ* uniform on
// the sphere of the given norm.
func Sphere(n, d int, norm float64, seed uint64) (Instance, error) {
	if n < 2 || d < 1 {
		return Instance{}, fmt.Errorf("the instance needs at least 2 arms and 1 dimension, got %d and %d", n, d)
	}
	rng := rand.New(rand.NewPCG(seed, streamOfInstances))
	direction := func(length float64) []float64 {
		v := make([]float64, d)
		for {
			squared := 0.0
			for k := range v {
				v[k] = rng.NormFloat64()
				squared += v[k] * v[k]
			}
			if squared > 0 {
				for k := range v {
					v[k] *= length / math.Sqrt(squared)
				}
				return v
			}
		}
	}
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = direction(1)
	}
	return newInstance(rows, direction(norm))
}

// The streams separate random numbers for different purposes.
const (
	streamOfInstances   = 0x494e5354414e4345
	streamOfStrategies  = 0x52554e2d53545241
	streamOfRespondents = 0x52554e2d43524f57
	streamOfTimes       = 0x52554e2d54494d45
)

// newInstance names the arms a1, a2, … and the features x1, x2, ….
func newInstance(rows [][]float64, theta []float64) (Instance, error) {
	ids, features := make([]string, len(rows)), make([]string, len(theta))
	for i := range ids {
		ids[i] = fmt.Sprint("a", i+1)
	}
	for k := range features {
		features[k] = fmt.Sprint("x", k+1)
	}
	c, err := choice.NewCatalogue(ids, features, rows)
	return Instance{Catalogue: c, Theta: theta}, err
}

// Best returns the arm with the largest utility, the first of several, and its gap to the next best
// arm.
func (i Instance) Best() (arm int, gap float64) {
	if p := i.Catalogue.Product(); p != nil && i.Utilities == nil {
		return bestProfile(p, i.Theta)
	}
	first, second := math.Inf(-1), math.Inf(-1)
	for j := range i.Catalogue.Len() {
		switch u := i.utility(j); {
		case u > first:
			arm, first, second = j, u, first
		case u > second:
			second = u
		}
	}
	return arm, first - second
}

// bestProfile is Best for a product: the next best profile differs in one group.
func bestProfile(p *choice.Product, theta []float64) (arm int, gap float64) {
	utilities := p.Utilities(theta)
	best := p.Best(utilities)
	gap = math.Inf(1)
	for g, option := range p.Options(best) {
		for other, u := range utilities[g] {
			if other != option {
				gap = min(gap, utilities[g][option]-u)
			}
		}
	}
	return best, gap
}

// IsBest reports whether no arm is better than the given one by more than epsilon, up to the
// rounding of utilities.
func (i Instance) IsBest(arm int, epsilon float64) bool {
	best, _ := i.Best()
	top := i.utility(best)
	return i.utility(arm) >= top-epsilon-1e-12*max(1, math.Abs(top))
}

// HasFavourite reports whether some arm is majority-best within a tolerance in points. Without people who
// differ the best arm is.
func (i Instance) HasFavourite(points float64) bool {
	for arm := range i.Chosen {
		if i.IsMajorityBest(arm, points) {
			return true
		}
	}
	return i.Chosen == nil
}

// IsMajorityBest reports whether at most half of the people, and a tolerance in points, choose another
// arm over the given one.
func (i Instance) IsMajorityBest(arm int, points float64) bool {
	return i.Beaten(arm) <= 0.5+points+1e-12
}

// IsMajorityTop reports whether at most half of the people, and a tolerance in points, choose an arm that is not among
// the given ones over one of them.
func (i Instance) IsMajorityTop(top []int, points float64) bool {
	for other := range i.Catalogue.Len() {
		for _, arm := range top {
			if !slices.Contains(top, other) && i.chosenOver(other, arm) > 0.5+points+1e-12 {
				return false
			}
		}
	}
	return true
}

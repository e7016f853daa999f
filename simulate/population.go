package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/crowd"
)

// A Population describes people who differ from the model, and from each other. The zero value is one
// softmax for all.
type Population struct {
	// Coefficients is the standard deviation of every person's θ around the mean, in units of the
	// mean's norm over √d.
	Coefficients float64

	// Classes is the number of latent classes, equally large, whose θ point in directions Degrees away
	// from the mean's, each on a side of its own. Two classes are turned in favour of the two best
	// arms. Defaults to one class.
	Classes int
	Degrees float64

	// Residual is the standard deviation of the appeal of every arm that its features do not explain.
	Residual float64

	// Clickers is the share of people who click at random.
	Clickers float64

	// PartWorths, if set, has the θ of people or classes of people instead of the instance's θ. Shares
	// has the probability of each. Defaults to equal shares.
	PartWorths [][]float64
	Shares     []float64

	// Seed draws the residuals and the directions of classes. Defaults to 0.
	Seed uint64
}

const streamOfPopulations = 0x504f50554c415445

// Of returns the instance with the shares of people that each arm loses to another, and the people.
func (p Population) Of(in Instance) (Instance, crowd.Population) {
	c, rng := in.Catalogue, rand.New(rand.NewPCG(p.Seed, streamOfPopulations))
	residuals := make([]float64, c.Len())
	for arm := range residuals {
		residuals[arm] = p.Residual * rng.NormFloat64()
	}
	centres := p.centres(in, rng)
	sd := p.Coefficients * floats.Norm(in.Theta, 2) / math.Sqrt(float64(len(in.Theta)))
	draw := func(rng *rand.Rand) []float64 {
		if rng.Float64() < p.Clickers {
			return make([]float64, c.Len())
		}
		theta := slices.Clone(centres[p.drawCentre(rng, len(centres))])
		for k := range theta {
			theta[k] += sd * rng.NormFloat64()
		}
		u := utilities(c, theta)
		floats.Add(u, residuals)
		return u
	}
	return in.withPeople(draw), draw
}

// drawCentre returns one of n centres.
func (p Population) drawCentre(rng *rand.Rand, n int) int {
	if p.Shares == nil {
		return rng.IntN(n)
	}
	left := rng.Float64() * floats.Sum(p.Shares)
	for i, share := range p.Shares[:n-1] {
		if left -= share; left < 0 {
			return i
		}
	}
	return n - 1
}

// centres returns the θ that people's θ vary around.
func (p Population) centres(in Instance, rng *rand.Rand) [][]float64 {
	switch {
	case p.PartWorths != nil:
		return p.PartWorths
	case p.Classes < 2:
		return [][]float64{in.Theta}
	case p.Classes == 2:
		best, second := in.bestTwo()
		return [][]float64{in.Theta, turn(in.Catalogue, in.Theta, best, second, p.Degrees)}
	}
	centres := make([][]float64, p.Classes)
	for i := range centres {
		aside := make([]float64, len(in.Theta))
		for k := range aside {
			aside[k] = rng.NormFloat64()
		}
		centres[i] = towards(in.Theta, aside, p.Degrees)
	}
	return centres
}

// bestTwo returns the arms with the largest utilities.
func (i Instance) bestTwo() (best, second int) {
	best, _ = i.Best()
	second = -1
	for arm := range i.Catalogue.Len() {
		if arm != best && (second < 0 || i.utility(arm) > i.utility(second)) {
			second = arm
		}
	}
	return best, second
}

const (
	pairDraws = 20_000     // people drawn for the shares, of few arms
	pairWork  = 20_000_000 // comparisons for the shares, of many arms
)

// withPeople returns the instance with the mean utilities of people, and the share of people that each
// arm loses to another, by drawing people.
func (i Instance) withPeople(p crowd.Population) Instance {
	n := i.Catalogue.Len()
	draws := max(500, min(pairDraws, pairWork/(n*n)))
	rng := rand.New(rand.NewPCG(1, streamOfPopulations))
	i.Chosen = make([][]float64, n)
	for arm := range n {
		i.Chosen[arm] = make([]float64, n)
	}
	i.Utilities = make([]float64, n)
	for range draws {
		u := p(rng)
		floats.AddScaled(i.Utilities, 1/float64(draws), u)
		for a := range n {
			for b := range a {
				x := logistic(u[a] - u[b])
				i.Chosen[b][a] += x / float64(draws)
				i.Chosen[a][b] += (1 - x) / float64(draws)
			}
		}
	}
	return i
}

// Beaten returns the largest share of people who choose another arm over the given one, from two
// alone.
func (i Instance) Beaten(arm int) float64 {
	if i.Chosen != nil {
		return slices.Max(i.Chosen[arm])
	}
	best, _ := i.Best()
	return logistic(i.utility(best) - i.utility(arm))
}

// chosenOver returns the share of people who choose one arm over another, from two alone.
func (i Instance) chosenOver(other, arm int) float64 {
	if i.Chosen != nil {
		return i.Chosen[arm][other]
	}
	return logistic(i.utility(other) - i.utility(arm))
}

// Cycle returns a population with a Condorcet cycle over the first three arms of an instance, each
// of which two thirds of the people prefer to the next, and all to the other arms.
func Cycle(in Instance, strength float64) (Instance, crowd.Population, error) {
	n := in.Catalogue.Len()
	if n < 3 {
		return in, nil, fmt.Errorf("a cycle needs at least 3 arms, got %d", n)
	}
	draw := func(rng *rand.Rand) []float64 {
		u := make([]float64, n)
		first := rng.IntN(3)
		for rank := range 3 {
			u[(first+rank)%3] = strength * float64(3-rank)
		}
		return u
	}
	return in.withPeople(draw), draw, nil
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

package simulation

import (
	"math/rand/v2"

	"bestpick/checks"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
)

// makeCrowd returns the crowd, and the instance with what is true of it.
func (c *Command) makeCrowd(own Instance) (simulate.Instance, func(*rand.Rand) crowd.Respondent, error) {
	instance := own.Instance
	instance.Outside = c.outside()
	if isTrouble(c.Crowd) {
		return simulate.Trouble{Kind: c.Crowd, Strength: c.Strength, Each: c.Each}.Of(instance.Catalogue.Len())
	}
	for _, check := range checks.All() {
		if check.String() == c.Crowd {
			changed, people := simulate.Violation{Check: check, Strength: c.Strength, Each: c.Each}.Of(instance)
			return changed, people, nil
		}
	}
	named := c.Crowd != gaussianCrowd && (c.Crowd != softmaxCrowd || c.Clickers > 0 || own.PartWorths != nil ||
		c.Assume == string(strategy.Majority) || c.Fallback > 0)
	if !named && !c.offer().IsPlain() {
		return instance, c.offered(instance), nil
	}
	if !named {
		noise := crowd.Noise(crowd.Gumbel)
		if c.Crowd == gaussianCrowd {
			noise = crowd.Gaussian(c.Sigma)
		}
		return instance, func(rng *rand.Rand) crowd.Respondent {
			return crowd.NewRandomUtility(instance.Catalogue, instance.Theta, noise, rng)
		}, nil
	}
	instance, population, err := c.population(own)
	instance.Outside = c.outside()
	if !c.offer().IsPlain() {
		return instance, c.offeredPeople(population), err
	}
	return instance, func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, c.Each, rng) }, err
}

// population returns people who differ from each other.
func (c *Command) population(own Instance) (simulate.Instance, crowd.Population, error) {
	strength := func(usual float64) float64 {
		if c.Strength != 0 {
			return c.Strength
		}
		return usual
	}
	p := simulate.Population{Clickers: c.Clickers, PartWorths: own.PartWorths, Shares: own.Shares, Seed: c.InstanceSeed}
	switch c.Crowd {
	case "coefficients":
		p.Coefficients = strength(1)
	case "classes":
		p.Classes, p.Degrees = 3, strength(60)
	case "residual":
		p.Residual = strength(0.5)
	case "cycle":
		return simulate.Cycle(own.Instance, strength(2))
	}
	instance, population := p.Of(own.Instance)
	return instance, population, nil
}

// offered returns the respondents of an instance under the offer.
func (c *Command) offered(instance simulate.Instance) func(*rand.Rand) crowd.Respondent {
	return func(rng *rand.Rand) crowd.Respondent {
		utility := func(arm int) float64 { return instance.Catalogue.Utility(arm, instance.Theta) }
		return crowd.NewOffered(c.offer(), c.constants(), utility, rng)
	}
}

// offeredPeople returns people drawn from a population under the offer.
func (c *Command) offeredPeople(population crowd.Population) func(*rand.Rand) crowd.Respondent {
	return func(rng *rand.Rand) crowd.Respondent {
		return &crowd.People{Each: c.Each, Join: func(int, int) crowd.Respondent {
			own := population(rng)
			return crowd.NewOffered(c.offer(), c.constants(), func(arm int) float64 { return own[arm] }, rng)
		}}
	}
}

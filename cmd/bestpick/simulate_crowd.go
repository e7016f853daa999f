package main

import (
	"math/rand/v2"
	"slices"

	"bestpick/checks"
	"bestpick/crowd"
	"bestpick/internal/instances"
	"bestpick/simulate"
	"bestpick/strategy"
)

// The crowds without names.
const softmaxCrowd, gaussianCrowd = "mnl", "gaussian"

// instance returns the instance of the flags, or one from recorded choices.
func (c *simulateCommand) instance(s streams) (instances.Instance, error) {
	if c.CrowdFrom == "" {
		return c.make()
	}
	source, err := openInput(c.CrowdFrom, c.CrowdFrom, s, c.Quiet)
	if err != nil {
		return instances.Instance{}, err
	}
	defer source.Close()
	return instances.ReadRecorded(source, c.CrowdFrom, c.Features, c.N, c.InstanceSeed)
}

// people returns the crowd, and the instance with what is true of it.
func (c *simulateCommand) people(own instances.Instance) (simulate.Instance, func(*rand.Rand) crowd.Respondent, error) {
	instance := own.Instance
	instance.Outside = c.outside()
	for _, check := range checks.All() {
		if check.String() == c.Crowd {
			changed, people := simulate.Violation{Check: check, Strength: c.Strength, Each: c.Each}.Of(instance)
			return changed, people, nil
		}
	}
	named := c.Crowd != gaussianCrowd && (c.Crowd != softmaxCrowd || c.Clickers > 0 || c.CrowdFrom != "" || c.Assume == string(strategy.Majority) || c.Fallback > 0)
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

// isViolation reports whether a crowd breaks the model in a way that a check looks for.
func isViolation(name string) bool {
	return slices.ContainsFunc(checks.All(), func(check checks.Check) bool { return check.String() == name })
}

// population returns people who differ from each other.
func (c *simulateCommand) population(own instances.Instance) (simulate.Instance, crowd.Population, error) {
	strength := func(usual float64) float64 {
		if c.Strength != 0 {
			return c.Strength
		}
		return usual
	}
	p := simulate.Population{Clickers: c.Clickers, PartWorths: own.PartWorths, Seed: c.InstanceSeed}
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

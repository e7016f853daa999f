package main

import (
	"fmt"
	"math/rand/v2"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/recorded"
	"bestpick/simulate"
	"bestpick/strategy"
)

// instance returns the instance: that of the flags, or alternatives of recorded choices with the
// part-worths of the people who made them.
func (c *simulateCommand) instance(s streams) (ownInstance, error) {
	if c.CrowdFrom == "" {
		return c.make()
	}
	source, err := openInput(c.CrowdFrom, c.CrowdFrom, s, c.Quiet)
	if err != nil {
		return ownInstance{}, err
	}
	defer source.Close()
	data, err := recorded.ReadLong(source, c.CrowdFrom, recorded.LongForm{
		Task: "task", Chosen: "chosen", Respondent: "respondent", Features: c.Features, Answers: true,
	})
	if err != nil {
		return ownInstance{}, err
	}
	all := data.Answers.Catalogue
	if c.N < 2 || c.N > all.Len() {
		return ownInstance{}, fmt.Errorf("--n must be from 2 to %d, the number of different alternatives in %s, got %d", all.Len(), c.CrowdFrom, c.N)
	}
	people, mean, err := simulate.PartWorths(all, data.Answers.Answers)
	if err != nil {
		return ownInstance{}, fmt.Errorf("%s: %w", c.CrowdFrom, err)
	}
	var ids []string
	var rows [][]float64
	for _, arm := range rand.New(rand.NewPCG(c.InstanceSeed, 0)).Perm(all.Len())[:c.N] {
		ids, rows = append(ids, all.ID(arm)), append(rows, all.Arm(arm))
	}
	drawn, err := choice.NewCatalogue(ids, all.Features(), rows)
	name := fmt.Sprintf("%s (%d alternatives, %d people)", c.CrowdFrom, c.N, len(people))
	return ownInstance{Instance: simulate.Instance{Catalogue: drawn, Theta: mean}, name: name, partWorths: people}, err
}

// people returns the crowd, and the instance with what is true of it.
func (c *simulateCommand) people(own ownInstance) (simulate.Instance, func(*rand.Rand) crowd.Respondent, error) {
	instance := own.Instance
	for _, check := range checks.All() {
		if check.String() == c.Crowd {
			changed, people := simulate.Violation{Check: check, Strength: c.Strength, Each: c.Each}.Of(instance)
			return changed, people, nil
		}
	}
	named := c.Crowd != "gaussian" && (c.Crowd != "mnl" || c.Clickers > 0 || c.CrowdFrom != "" || c.Assume == string(strategy.Majority) || c.Fallback > 0)
	if !named {
		noise := crowd.Noise(crowd.Gumbel)
		if c.Crowd == "gaussian" {
			noise = crowd.Gaussian(c.Sigma)
		}
		return instance, func(rng *rand.Rand) crowd.Respondent {
			return crowd.NewRandomUtility(instance.Catalogue, instance.Theta, noise, rng)
		}, nil
	}
	instance, population, err := c.population(own)
	return instance, func(rng *rand.Rand) crowd.Respondent { return crowd.Drawn(population, c.Each, rng) }, err
}

// population returns people who differ from each other.
func (c *simulateCommand) population(own ownInstance) (simulate.Instance, crowd.Population, error) {
	strength := func(usual float64) float64 {
		if c.Strength != 0 {
			return c.Strength
		}
		return usual
	}
	p := simulate.Population{Clickers: c.Clickers, PartWorths: own.partWorths, Seed: c.InstanceSeed}
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

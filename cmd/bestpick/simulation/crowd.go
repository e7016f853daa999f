package simulation

import (
	"errors"
	"math/rand/v2"
	"slices"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/cmd/bestpick/command"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
)

// The crowds without names.
const softmaxCrowd, gaussianCrowd = "mnl", "gaussian"

// instance returns the instance of the flags, or one from recorded choices.
func (c *Command) instance(s command.Streams) (Instance, error) {
	if c.CrowdFrom == "" {
		return c.Make()
	}
	source, err := command.OpenInput(c.CrowdFrom, c.CrowdFrom, s, c.Quiet)
	if err != nil {
		return Instance{}, err
	}
	defer source.Close()
	return readRecorded(source, c.CrowdFrom, c.Features, c.N, c.InstanceSeed)
}

// people returns the crowd, and the instance with what is true of it.
func (c *Command) people(own Instance) (simulate.Instance, func(*rand.Rand) crowd.Respondent, error) {
	instance := own.Instance
	instance.Outside = c.outside()
	for _, check := range checks.All() {
		if check.String() == c.Crowd {
			changed, people := simulate.Violation{Check: check, Strength: c.Strength, Each: c.Each}.Of(instance)
			return changed, people, nil
		}
	}
	named := c.Crowd != gaussianCrowd && (c.Crowd != softmaxCrowd || c.Clickers > 0 || c.CrowdFrom != "" ||
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

// isViolation reports whether a crowd breaks the model in a way that a check looks for.
func isViolation(name string) bool {
	return slices.ContainsFunc(checks.All(), func(check checks.Check) bool { return check.String() == name })
}

// population returns people who differ from each other.
func (c *Command) population(own Instance) (simulate.Instance, crowd.Population, error) {
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

// offer returns what respondents may answer besides picks.
func (c *Command) offer() choice.Offer {
	return choice.Offer{Outside: c.Outside, BestWorst: c.BestWorst, Ties: c.Ties}
}

// constants returns the constants of what is offered, for the crowd.
func (c *Command) constants() crowd.Constants {
	return crowd.Constants{Outside: c.OutsideUtility, Tie: c.TieLog}
}

// outside returns the utility of none of the arms, nil where it is not offered.
func (c *Command) outside() *float64 {
	if !c.Outside {
		return nil
	}
	return &c.OutsideUtility
}

// checkOffer validates the flags of the offer.
func (c *Command) checkOffer() error {
	switch {
	case !c.Outside && c.OutsideUtility != 0:
		return errors.New("--outside-utility needs --outside")
	case !c.Ties && c.TieLog != 0:
		return errors.New("--tie-log needs --ties")
	case c.offer().IsPlain():
		return nil
	case c.Strategy != certified:
		return errors.New("--outside, --best-worst and --ties are for racing")
	case c.Crowd == gaussianCrowd || isViolation(c.Crowd):
		return errors.New("--outside, --best-worst and --ties need --crowd mnl, coefficients, classes, residual or cycle")
	case c.BestWorst && c.Picks > 1:
		return errors.New("--best-worst does not go with --picks")
	}
	return nil
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

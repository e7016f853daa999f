package main

import (
	"errors"
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
)

// offer returns what respondents may answer besides picks.
func (c *simulateCommand) offer() choice.Offer {
	return choice.Offer{Outside: c.Outside, BestWorst: c.BestWorst, Ties: c.Ties}
}

// constants returns the constants of what is offered, for the crowd.
func (c *simulateCommand) constants() crowd.Constants {
	return crowd.Constants{Outside: c.OutsideUtility, Tie: c.TieLog}
}

// outside returns the utility of none of the arms, nil where it is not offered.
func (c *simulateCommand) outside() *float64 {
	if !c.Outside {
		return nil
	}
	return &c.OutsideUtility
}

// checkOffer validates the flags of the offer.
func (c *simulateCommand) checkOffer() error {
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
func (c *simulateCommand) offered(instance simulate.Instance) func(*rand.Rand) crowd.Respondent {
	return func(rng *rand.Rand) crowd.Respondent {
		utility := func(arm int) float64 { return instance.Catalogue.Utility(arm, instance.Theta) }
		return crowd.NewOffered(c.offer(), c.constants(), utility, rng)
	}
}

// offeredPeople returns people drawn from a population under the offer.
func (c *simulateCommand) offeredPeople(population crowd.Population) func(*rand.Rand) crowd.Respondent {
	return func(rng *rand.Rand) crowd.Respondent {
		return &crowd.People{Each: c.Each, Join: func(int, int) crowd.Respondent {
			own := population(rng)
			return crowd.NewOffered(c.offer(), c.constants(), func(arm int) float64 { return own[arm] }, rng)
		}}
	}
}

package simulation

import (
	"fmt"
	"slices"

	"bestpick/cmd/bestpick/command"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

// A simulation is what a command simulates.
type simulation struct {
	own        Instance
	experiment simulate.Experiment
}

// prepare checks the flags and reads the files.
func (c *Command) prepare(s command.Streams) (simulation, error) {
	if err := c.check(); err != nil {
		return simulation{}, err
	}
	own, err := c.makeInstance(s)
	if err != nil {
		return simulation{}, err
	}
	if own.PartWorths != nil && !slices.Contains([]string{softmaxCrowd, "coefficients", "residual"}, c.Crowd) {
		return simulation{}, fmt.Errorf("--crowd must be mnl, coefficients or residual if --utilities has classes, got %s", c.Crowd)
	}
	if n := own.Catalogue.Len(); n > maxListed && c.Crowd != softmaxCrowd && c.Crowd != gaussianCrowd {
		return simulation{}, fmt.Errorf("--crowd %s has a utility for every arm: at most %[3]d arms, got %[2]d", c.Crowd, n, maxListed)
	}
	switch n := own.Catalogue.Len(); {
	case isTrouble(c.Crowd) && n > majority.MaxArms:
		return simulation{}, fmt.Errorf("--crowd %s has at most %d arms, got %d", c.Crowd, majority.MaxArms, n)
	case c.top() >= n:
		return simulation{}, fmt.Errorf("--top must be less than the number of arms, %d, got %s", n, c.Top)
	case c.K > n:
		return simulation{}, fmt.Errorf("--k must be at most the number of arms, %d, got %d", n, c.K)
	}
	if err := c.readPrior(own.Catalogue, s); err != nil {
		return simulation{}, err
	}
	if _, err := c.newStrategy(own.Catalogue, c.Seed); err != nil {
		return simulation{}, err
	}
	instance, people, err := c.makeCrowd(own)
	if err != nil {
		return simulation{}, err
	}
	if isTrouble(c.Crowd) {
		own.Instance, own.Encoding = instance, nil // arms with names only
	}
	return simulation{own, simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) { return c.newStrategy(instance.Catalogue, seed) },
		Crowd:    people,
		Picks:    c.Picks, Epsilon: c.Epsilon, Arrivals: c.Arrivals,
		Runs: c.Runs, Seed: c.Seed, MaxQuestions: c.limit(), Workers: c.Workers, Leaderboards: c.leaderboards(),
	}}, nil
}

// makeInstance returns the instance of the flags, or one from recorded choices.
func (c *Command) makeInstance(s command.Streams) (Instance, error) {
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

package simulation

import (
	"errors"
	"slices"

	"bestpick/choice"
	"bestpick/cmd/bestpick/command"
	"bestpick/design"
	"bestpick/internal/recorded"
	"bestpick/internal/table"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
	"bestpick/strategy/racing"
)

// newStrategy returns the strategy of one run.
func (c *Command) newStrategy(catalogue *choice.Catalogue, seed uint64) (strategy.Strategy, error) {
	if c.Strategy == certified {
		return racing.New(catalogue, c.racingSettings(seed))
	}
	return baseline.New(c.Strategy, catalogue, c.baselineSettings(seed))
}

func (c *Command) racingSettings(seed uint64) racing.Settings {
	s := racing.Settings{
		K: c.arms(), Delta: c.Delta, Epsilon: c.Epsilon, Seed: seed, Offer: c.offer(), Fakes: c.Fakes, Top: c.top(),
		Model: racing.Model{
			Slots: slices.Contains(c.Model, "slots"), Intercepts: slices.Contains(c.Model, "intercepts"),
			Clicks: slices.Contains(c.Model, "clicks"),
		},
		LinearOnly: racing.LinearOnly{
			Budget: c.Budget, Verify: c.Verify, Fallback: c.Fallback, Prior: c.prior,
		},
	}
	if c.Assume == string(strategy.Majority) {
		s.Assume, s.Budget = strategy.Majority, 0 // a budget only limits the questions
	}
	if slices.Contains(c.Model, "segments") {
		for _, name := range simulate.Segments() {
			s.Model.Segments = append(s.Model.Segments, racing.Segment{Name: name, Share: 0.5})
		}
	}
	return s
}

func (c *Command) baselineSettings(seed uint64) baseline.Settings {
	s := baseline.Settings{
		K: c.arms(), Delta: c.Delta, Kappa: c.Kappa, Ridge: c.Lambda, Mu: c.Mu, Explore: c.Explore,
		Alpha: c.Alpha, Epsilon: c.Epsilon, Seed: seed,
	}
	if c.Explore == 0 {
		s.Explore = -1
	}
	if c.Criterion == "g" {
		s.Criterion = design.G
	}
	if c.TieBreak == "sum" {
		s.Ties = design.TiesSum
	}
	if c.Rho == "normalised" {
		s.Batches = baseline.Normalised
	}
	if c.Radius == "kazerouni-wein" {
		s.Radius = baseline.KazerouniWein
	}
	return s
}

// readPrior reads the answers of --prior, which must be about the arms of the instance.
func (c *Command) readPrior(arms *choice.Catalogue, s command.Streams) error {
	switch {
	case c.Prior == "":
		return nil
	case c.Strategy != certified:
		return errors.New("--prior is for racing")
	}
	source, err := command.OpenInput(c.Prior, c.Prior, s, c.Quiet)
	if err != nil {
		return err
	}
	defer source.Close()
	tally, err := recorded.ReadTally(recorded.Source{Reader: source, Name: c.Prior}, arms, c.offer(), table.Limits{})
	if err != nil {
		return err
	}
	c.prior, err = racing.NewPrior(arms, tally)
	return err
}

package main

import (
	"errors"

	"bestpick/choice"
	"bestpick/internal/recorded"
	"bestpick/internal/table"
	"bestpick/strategy/racing"
)

// readPrior reads the answers of --prior, which must be about the arms of the instance.
func (c *simulateCommand) readPrior(arms *choice.Catalogue, s streams) error {
	switch {
	case c.Prior == "":
		return nil
	case c.Strategy != certified:
		return errors.New("--prior is for racing")
	}
	source, err := openInput(c.Prior, c.Prior, s, c.Quiet)
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

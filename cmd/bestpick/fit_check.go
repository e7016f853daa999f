package main

import (
	"errors"
	"fmt"
	"slices"
)

// namesVotes reports whether flags name the columns of votes between pairs.
func (c *fitCommand) namesVotes() bool {
	return c.Left != "" || c.Right != "" || c.Winner != "" || c.Loser != "" || c.Count != ""
}

// namesModel reports whether flags name columns of a model of choices.
func (c *fitCommand) namesModel() bool {
	return len(c.Features)+len(c.Constants)+len(c.ByAlternative) > 0
}

// votes reports whether the file holds votes between pairs: if flags say so, or none says otherwise.
func (c *fitCommand) votes() bool { return c.namesVotes() || !c.namesModel() }

// check rejects flags that exclude each other.
func (c *fitCommand) check() error {
	if c.votes() {
		return c.checkVotes()
	}
	return c.checkModel()
}

// checkVotes rejects flags that do not go with votes.
func (c *fitCommand) checkVotes() error {
	sides := c.Left != "" && c.Right != "" && c.Winner != ""
	switch {
	case c.Arms != "":
		return errors.New("--arms needs --features")
	case c.Loser != "" && (c.Winner == "" || c.Left != "" || c.Right != ""):
		return errors.New("--winner and --loser go together, without --left and --right")
	case c.Loser == "" && !sides && c.Left+c.Right+c.Winner != "":
		return errors.New("--left, --right and --winner go together")
	case c.Rank != "" || c.namesModel() || len(c.Base) > 0:
		return errors.New("--rank, --features, --by-alternative, --constants and --base do not go with --left, --right and --winner")
	case c.Outside || c.Worst != "":
		return errors.New("--outside and --worst need --features or --constants, and do not go with votes")
	case c.Checks:
		return errors.New("--checks does not go with --left, --right and --winner")
	case c.Available+c.Weights+c.WTP+c.Shares != "" || c.Holdout > 0 || len(c.Alternatives)+len(c.Numbers) > 0:
		return errors.New("--available, --weights, --wtp, --shares, --holdout, --alternatives and --numbers do not go with votes")
	}
	return nil
}

// checkModel rejects flags that do not go with choices.
func (c *fitCommand) checkModel() error {
	switch {
	case c.Task == "":
		return errors.New("--task must name a column")
	case c.Chosen == "" && c.Rank == "":
		return errors.New("--chosen must name a column")
	}
	if err := c.checkOffer(); err != nil {
		return err
	}
	columns := slices.Concat(c.Features, c.ByAlternative)
	for flag, names := range map[string][]string{
		"--features": c.Features, "--constants": c.Constants, "--by-alternative": c.ByAlternative, "--alternatives": c.Alternatives,
	} {
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return fmt.Errorf("%s: %q is named twice", flag, name)
			}
		}
	}
	for column := range c.Base {
		if !slices.Contains(columns, column) && column != c.Alternative {
			return fmt.Errorf("--base: %q is not among the --features", column)
		}
	}
	for _, column := range c.Numbers {
		if !slices.Contains(columns, column) {
			return fmt.Errorf("--numbers: %q is not among the --features", column)
		}
	}
	return nil
}

// checkOffer rejects flags that do not go with other answers than picks.
func (c *fitCommand) checkOffer() error {
	switch {
	case !c.Outside && !c.Ties && c.Worst == "":
		return nil
	case c.Arms != "" && c.Worst != "" && c.Worst != "worst":
		return fmt.Errorf("--worst must be worst with --arms, the second pick of an answer, got %q", c.Worst)
	case c.Rank != "" && (c.Worst != "" || c.Ties):
		return errors.New("--worst and --ties do not go with --rank")
	case c.Checks || c.Holdout > 0:
		return errors.New("--checks and --holdout do not go with --outside, --worst and --ties")
	case c.Shares != "" && (c.Outside || c.Ties):
		return errors.New("--shares does not go with --outside and --ties")
	}
	return nil
}

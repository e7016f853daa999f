package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"bestpick/internal/catalogue/archive"
	"bestpick/strategy/racing"
)

// askCommand finds the favourite of the person at the terminal.
type askCommand struct {
	readFlags `embed:""`

	File string `arg:"" help:"Options: CSV, JSON Lines, Parquet, .npy, a .yaml of attributes, or a saved .npz."`

	K         int     `default:"3" help:"How many to choose from at a time (${default})."`
	Delta     float64 `default:"0.05" help:"Probability that the favourite is wrong (${default})."`
	Epsilon   float64 `help:"How much better another option may be, in utility (0)."`
	PerOption bool    `help:"Let every option differ from what its attributes predict. Takes more answers."`
	Answers   string  `help:"File of the answers, to continue later (FILE.answers.jsonl)." placeholder:"PATH"`
	Anew      bool    `help:"Start over and discard saved answers."`
}

// Help is the long help of the command.
func (c *askCommand) Help() string {
	return `Shows a few options side by side until it is sure which one you like best:

    bestpick ask examples/lamps.csv

Keys: 1 to 9 pick, or arrows and Enter; s skips, u undoes the last answer, q quits. The next run continues
where you left off.`
}

// Run asks until there is a verdict, or until the user quits.
func (c *askCommand) Run(s streams) error {
	session, err := c.session()
	if err != nil {
		return inputError{err}
	}
	defer func() { _ = session.Close() }() // all answers are on disk
	screen, err := newScreen(s)
	if err != nil {
		return err
	}
	err = converse(session, screen)
	if closing := screen.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.out, farewell(session, c.Answers))
	return err
}

// session opens the options, and the answers so far.
func (c *askCommand) session() (*askSession, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	if err := c.checkFile(c.File); err != nil {
		return nil, err
	}
	arms, err := archive.Open(c.File, options, c.dimensions())
	if err != nil {
		return nil, err
	}
	if c.K < 2 || c.K > 9 || c.K > arms.Arms.Len() {
		return nil, fmt.Errorf("--k must be from 2 to %d, got %d", min(9, arms.Arms.Len()), c.K)
	}
	settings := racing.Settings{K: c.K, Delta: c.Delta, Epsilon: c.Epsilon, Model: racing.Model{Intercepts: c.PerOption}, Seed: 1}.WithDefaults()
	if c.Answers == "" {
		c.Answers = c.File + ".answers.jsonl"
	}
	if c.Anew {
		if err := os.Remove(c.Answers); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return openSession(c.Answers, &arms.Catalogue, settings)
}

// converse asks until the strategy has decided or the user quits.
func converse(session *askSession, screen *screen) error {
	for !session.decided() {
		if err := screen.show(session); err != nil {
			return err
		}
		key, err := screen.key()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch slot := screen.slot(key, len(session.question)); {
		case slot >= 0:
			err = session.tell(slot)
		case key == "s":
			err = session.tell(skipped)
		case key == "u":
			err = session.undo()
		case key == "q" || key == keyInterrupt:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// farewell prints the verdict, and how to continue.
func farewell(session *askSession, answers string) string {
	var text strings.Builder
	verdict := session.verdict()
	if session.decided() {
		fmt.Fprintln(&text, session.says())
		card := session.card(verdict.Leader)
		if card.Description != "" {
			fmt.Fprintln(&text, visible(card.Description))
		}
		for _, attribute := range card.Attributes {
			fmt.Fprintf(&text, "  %s: %s\n", visible(attribute.Name), visible(attribute.Value))
		}
	} else {
		fmt.Fprintf(&text, "%s\nYour answers are in %s: run the same command to continue, with --anew to start over.\n", session.says(), visible(answers))
	}
	return text.String()
}

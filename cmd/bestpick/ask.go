package main

import (
	"errors"
	"fmt"
	"os"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/engine"
	"bestpick/internal/interview"
	"bestpick/internal/terminal"
	"bestpick/strategy/racing"
)

// askCommand finds the favourite of the person at the terminal.
type askCommand struct {
	command.ReadFlags `embed:""`
	command.JSONFlag  `embed:""`

	File string `arg:"" help:"Options: CSV, .xlsx, JSON, Parquet, .npy, a .yaml of attributes, or a saved .npz."`

	K         int     `default:"3" min:"2" max:"9" help:"How many to choose from at a time."`
	Delta     float64 `default:"0.05" above:"0" below:"1" help:"Probability that the favourite is wrong."`
	Epsilon   float64 `min:"0" max:"50" help:"How much better another option may be, in utility." placeholder:"NUMBER"`
	PerOption bool    `help:"Let every option differ from what its attributes predict. Takes more answers."`
	Answers   string  `help:"File of the answers, to continue later (FILE.answers.jsonl)." placeholder:"PATH"`
	Anew      bool    `help:"Start over and discard saved answers."`
}

// Help is the long help of the command.
func (c *askCommand) Help() string {
	return `Shows a few options side by side until it is sure which one you like best:

    bestpick ask examples/lamps.csv

Keys: 1 to 9 pick, or arrows and Enter; s skips, u undoes the last answer, q quits. The next run continues
where you left off. With --json the questions are shown on standard error.`
}

// Run asks until there is a verdict, or until the user quits.
func (c *askCommand) Run(s command.Streams) error {
	session, err := c.session()
	if err != nil {
		return command.Invalid(err)
	}
	defer func() { _ = session.Close() }() // all answers are on disk
	shown := s.Out
	if c.JSON {
		shown = s.Err
	}
	screen, err := terminal.NewScreen(s.In, shown)
	if err != nil {
		return err
	}
	err = session.Run(screen)
	if closing := screen.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	rest := fmt.Sprintf("Your answers are in %s: run the same command to continue, with --anew to start over.\n",
		terminal.Visible(c.Answers))
	if session.Decided() {
		rest = session.Favourite()
	}
	return c.Write(s.Out, askReport{session.Result(), c.Answers}, session.Says()+"\n"+rest)
}

// askReport is the JSON document of `bestpick ask`.
type askReport struct {
	interview.Result

	File string `json:"file"` // of the answers
}

// session opens the options, and the answers so far.
func (c *askCommand) session() (*interview.Session, error) {
	arms, err := c.Open(c.File)
	if err != nil {
		return nil, err
	}
	if c.K < 2 || c.K > 9 || c.K > arms.Arms.Len() {
		return nil, fmt.Errorf("--k must be from 2 to %d, got %d", min(9, arms.Arms.Len()), c.K)
	}
	settings := racing.Settings{
		K: c.K, Delta: c.Delta, Epsilon: c.Epsilon, Model: racing.Model{Intercepts: c.PerOption},
		Seed: 1,
	}.WithDefaults()
	if c.Answers == "" {
		c.Answers = c.File + ".answers.jsonl"
	}
	if c.Anew {
		if err := os.Remove(c.Answers); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return interview.Open(c.Answers, &arms.Catalogue, settings)
}

// engineCommand runs a race for another program.
type engineCommand struct{}

// Help is the long help of the command.
func (*engineCommand) Help() string {
	return `Reads one JSON object per line and writes one per line, for programs that choose the best of some options with a
judge of their own, without a server:

    {"command": "start", "options": ["red", "green", "blue"], "settings": {"k": 2, "seed": 1}}
    {"command": "ask"}
    {"command": "tell", "arms": [0, 1], "picks": [1]}
    {"command": "verdict"}

docs/engine.md has all commands. From Python, bestpick.Race runs it.`
}

// Run serves requests until the input ends.
func (*engineCommand) Run(s command.Streams) error {
	if err := engine.Serve(s.In, s.Out); err != nil {
		return command.Invalid(err)
	}
	return nil
}

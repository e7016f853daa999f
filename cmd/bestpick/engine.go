package main

import "bestpick/internal/engine"

// engineCommand runs a race for another program.
type engineCommand struct{}

// Help is the long help of the command.
func (*engineCommand) Help() string {
	return `Reads one JSON object per line and writes one per line, for programs that choose the best of some options with a
judge of their own, without a server:

    {"command": "start", "options": ["red", "green", "blue"], "settings": {"k": 2, "seed": 1}}
    {"command": "ask"}
    {"command": "tell", "arms": [2, 0], "picks": [0]}
    {"command": "verdict"}

docs/engine.md has all commands. From Python, bestpick.Race runs it.`
}

// Run serves requests until the input ends.
func (*engineCommand) Run(s streams) error {
	if err := engine.Serve(s.in, s.out); err != nil {
		return inputError{err}
	}
	return nil
}

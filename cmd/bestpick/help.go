package main

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// helpCommand prints the help of the program or of a command.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command."`
}

// Run prints the help.
func (c *helpCommand) Run(app *kong.Kong) error {
	context, err := kong.Trace(app, c.Command)
	if err != nil {
		return err
	}
	node := app.Model.Node
	for _, word := range c.Command {
		if node = command(node, word); node == nil {
			return inputError{fmt.Errorf("there is no command %q (run 'bestpick help' for a list)", word)}
		}
	}
	return context.PrintUsage(false)
}

package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"bestpick/cmd/bestpick/command"
)

// completions has the scripts by shell. They call the hidden command complete.
//
//go:embed completions
var completions embed.FS

// completionCommand prints the script that completes commands and flags in a shell.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"bash, zsh, fish or powershell."`
}

// Run prints the script.
func (c *completionCommand) Run(s command.Streams) error {
	script, err := completions.ReadFile("completions/completion." + c.Shell)
	if err != nil {
		return err
	}
	_, err = s.Out.Write(script)
	return err
}

// completeCommand prints the candidates for the last of the words that follow the name of the program, one per line. It
// prints none where the shell completes names of files.
type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints the candidates.
func (c *completeCommand) Run(s command.Streams, app *kong.Kong) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, candidate := range complete(app.Model.Node, words) {
		if _, err := fmt.Fprintln(s.Out, candidate); err != nil {
			return err
		}
	}
	return nil
}

// complete returns the candidates for the last word, sorted.
func complete(node *kong.Node, words []string) (candidates []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	var awaits *kong.Flag // whose value the next word is
	for _, word := range before {
		switch {
		case awaits != nil:
			awaits = nil
		case strings.HasPrefix(word, "-"):
			awaits = valued(node, word)
		default:
			if child := subcommand(node, word); child != nil {
				node = child
			}
		}
	}
	switch {
	case awaits != nil:
		candidates = awaits.EnumSlice()
	case strings.HasPrefix(last, "-"):
		candidates = flagNames(node)
	default:
		candidates = arguments(node)
	}
	candidates = slices.DeleteFunc(candidates, func(s string) bool { return s == "" || !strings.HasPrefix(s, last) })
	slices.Sort(candidates)
	return candidates
}

// subcommand returns the command of a node with a name, or nil.
func subcommand(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name && !child.Hidden {
			return child
		}
	}
	return nil
}

// valued returns the flag of a node if its value is the next word, or nil.
func valued(node *kong.Node, word string) *kong.Flag {
	for _, group := range node.AllFlags(true) {
		for _, flag := range group {
			if word == "--"+flag.Name && !flag.IsBool() {
				return flag
			}
		}
	}
	return nil
}

// flagNames returns the flags of a node.
func flagNames(node *kong.Node) (names []string) {
	for _, group := range node.AllFlags(true) {
		for _, flag := range group {
			names = append(names, "--"+flag.Name)
		}
	}
	return names
}

// arguments returns the commands of a node, or the values of its arguments.
func arguments(node *kong.Node) (candidates []string) {
	for _, child := range node.Children {
		if !child.Hidden {
			candidates = append(candidates, child.Name)
		}
	}
	for _, argument := range node.Positional {
		candidates = append(candidates, argument.EnumSlice()...)
	}
	return candidates
}

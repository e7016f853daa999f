package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"bestpick/cmd/bestpick/command"
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
		if node = subcommand(node, word); node == nil {
			return command.Invalid(fmt.Errorf("there is no command %q (run 'bestpick help' for a list)", word))
		}
	}
	return context.PrintUsage(false)
}

// manCommand writes the manual pages.
type manCommand struct {
	Folder string `arg:"" help:"Directory for the pages; created if needed."`
}

// Run writes a page for the program and one for each command.
func (c *manCommand) Run(app *kong.Kong) error {
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		return command.Invalid(err)
	}
	nodes := []*kong.Node{app.Model.Node}
	for len(nodes) > 0 {
		node := nodes[0]
		nodes = nodes[1:]
		for _, child := range node.Children {
			if !child.Hidden {
				nodes = append(nodes, child)
			}
		}
		name := strings.ReplaceAll(node.FullPath(), " ", "-")
		if err := os.WriteFile(filepath.Join(c.Folder, name+".1"), []byte(manPage(node, name)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// manPage returns a page in the language of man(7).
func manPage(node *kong.Node, name string) string {
	var page strings.Builder
	section := func(title string) { fmt.Fprintf(&page, ".SH %s\n", title) }
	fmt.Fprintf(&page, ".TH %s 1 \"\" \"bestpick %s\"\n", roff(strings.ToUpper(name)), command.Release)
	section("NAME")
	fmt.Fprintf(&page, "%s \\- %s\n", roff(name), roff(strings.TrimSuffix(node.Help, ".")))
	section("SYNOPSIS")
	fmt.Fprintf(&page, ".B %s\n%s\n", roff(node.FullPath()), roff(strings.TrimPrefix(node.Summary(), node.Path())))
	if node.Detail != "" {
		section("DESCRIPTION")
		fmt.Fprintf(&page, ".nf\n%s\n.fi\n", roff(node.Detail))
	}
	if len(node.Children) > 0 {
		section("COMMANDS")
		for _, child := range node.Children {
			if !child.Hidden {
				fmt.Fprintf(&page, ".TP\n.B %s\n%s\n", roff(child.Name), roff(child.Help))
			}
		}
	}
	if len(node.Positional) > 0 {
		section("ARGUMENTS")
		for _, argument := range node.Positional {
			fmt.Fprintf(&page, ".TP\n.B %s\n%s\n", roff(argument.Summary()), roff(argument.Help))
		}
	}
	section("OPTIONS")
	for _, group := range node.AllFlags(true) {
		for _, flag := range group {
			fmt.Fprintf(&page, ".TP\n.B %s\n%s\n", roff(flag.String()), roff(flag.Help))
		}
	}
	section("EXIT STATUS")
	for _, status := range command.ExitStatuses() {
		fmt.Fprintf(&page, ".TP\n.B %d\n%s\n", status.Code, roff(status.Meaning))
	}
	return page.String()
}

// roff escapes a text: backslashes, hyphens, and periods and apostrophes that begin a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(strings.TrimSpace(text))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// versionCommand prints which build of the program this is.
type versionCommand struct {
	command.JSONFlag `embed:""`
}

// A build identifies the program and the source it was built from.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`   // empty if built outside a repository
	Time     string `json:"time,omitempty"`     // of the commit, RFC 3339
	Modified bool   `json:"modified,omitempty"` // the source differed from the commit
	Go       string `json:"go"`
}

// Run prints the build.
func (c *versionCommand) Run(s command.Streams) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	b := newBuild(info)
	return c.Write(s.Out, b, b.text())
}

// newBuild returns the build that the Go command recorded in the binary.
func newBuild(info *debug.BuildInfo) build {
	b := build{Version: command.Release, Go: info.GoVersion}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.time":
			b.Time = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

func (b build) text() string {
	commit := b.Commit
	switch {
	case commit == "":
		commit = "unknown"
	case b.Modified:
		commit += ", modified"
	}
	return fmt.Sprintf("bestpick %s\ncommit   %s\ngo       %s\n", b.Version, commit, b.Go)
}

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

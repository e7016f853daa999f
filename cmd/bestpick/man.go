package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
)

// manCommand writes the manual pages.
type manCommand struct {
	Folder string `arg:"" help:"Directory for the pages; created if needed."`
}

// Run writes a page for the program and one for each command.
func (c *manCommand) Run(app *kong.Kong) error {
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		return inputError{err}
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
	fmt.Fprintf(&page, ".TH %s 1 \"\" \"bestpick %s\"\n", roff(strings.ToUpper(name)), release)
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
	for _, status := range exitStatuses() {
		fmt.Fprintf(&page, ".TP\n.B %d\n%s\n", status.code, roff(status.meaning))
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

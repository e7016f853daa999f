// Command bestpick finds the best of many options by asking people to pick one of
// a few.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"bestpick/cmd/bestpick/command"
	"bestpick/cmd/bestpick/simulation"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

type commands struct {
	Serve     serveCommand                `cmd:"" help:"Serve live studies over HTTP."`
	Ask       askCommand                  `cmd:"" help:"Find your own favourite, in the terminal."`
	Watch     watchCommand                `cmd:"" help:"Show a study live, in the terminal."`
	Token     tokenCommand                `cmd:"" help:"Manage the tokens of owners and viewers."`
	Backup    backupCommand               `cmd:"" help:"Back up a database while it is in use."`
	Restore   restoreCommand              `cmd:"" help:"Restore a backup after checking it."`
	Move      moveCommand                 `cmd:"" help:"Move a study to another database."`
	Health    healthCommand               `cmd:"" name:"healthcheck" help:"Check that a server on this machine is ready."`
	Doctor    doctorCommand               `cmd:"" help:"Check the server's configuration, database and machine."`
	Simulate  simulation.Command          `cmd:"" help:"Run a strategy against a simulated crowd, many times."`
	Worker    simulation.WorkerCommand    `cmd:"" help:"Execute queued runs of simulate and reproduce."`
	Engine    engineCommand               `cmd:"" help:"Run a race for another program, over JSON lines."`
	Reproduce simulation.ReproduceCommand `cmd:"" help:"Reproduce the paper's figures and table."`
	Bounds    boundsCommand               `cmd:"" help:"Compute how many questions an instance needs in theory."`
	Fit       fitCommand                  `cmd:"" help:"Estimate a choice model from recorded choices."`
	Catalogue catalogueCommand            `cmd:"" help:"Check, encode and describe a file of arms."`
	Verify    verifyCommand               `cmd:"" help:"Recompute a study's verdict from its exported log."`
	Version   versionCommand              `cmd:"" help:"Print the version, the commit and the Go version."`
	Help      helpCommand                 `cmd:"" help:"Show the help of a command."`

	Completion completionCommand `cmd:"" help:"Print the script that completes commands and flags in a shell."`
	Man        manCommand        `cmd:"" help:"Write the manual pages."`
	Complete   completeCommand   `cmd:"" hidden:""`

	VersionFlag kong.VersionFlag `name:"version" help:"Print the version and exit."`
}

// run parses the arguments, runs the command, and returns the exit status.
func run(arguments []string, in io.Reader, out, errOut io.Writer) int {
	var c commands
	exited := -1
	parser, err := kong.New(&c, append(flagValues(),
		kong.Name("bestpick"),
		kong.Description("Finds the best of many options by asking people to pick one of a few."),
		kong.Vars{"version": "bestpick " + command.Release},
		kong.Writers(out, errOut),
		kong.Exit(func(status int) { exited = status }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)...)
	if err != nil {
		panic(err)
	}
	if len(arguments) == 0 {
		arguments = []string{"--help"}
	}
	parsed, err := parser.Parse(arguments)
	if exited >= 0 {
		return exited
	}
	if err == nil {
		return command.Report(errOut, parsed.Run(command.Streams{In: in, Out: out, Err: errOut}))
	}
	named := "bestpick"
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context.Selected() != nil {
		named = parse.Context.Selected().FullPath()
	}
	return command.Report(errOut, command.Invalid(fmt.Errorf("%s (run '%s --help' for usage)", nearest(err.Error()), named)))
}

// nearest shortens the message about an unknown word. It keeps the suggestions that begin with the word; if none does,
// the first suggestion with the same first letter.
func nearest(message string) string {
	unknown, suggested, found := strings.Cut(message, ", did you mean ")
	if !found {
		return message
	}
	word := strings.TrimLeft(unknown[strings.LastIndexByte(unknown, ' ')+1:], "-")
	best := ""
	for name := range strings.SplitSeq(strings.Trim(strings.TrimPrefix(suggested, "one of "), "?"), ", ") {
		bare := strings.TrimLeft(strings.Trim(name, `"`), "-")
		if best == "" && bare[:1] == word[:1] || strings.HasPrefix(bare, word) && !strings.HasPrefix(best, `"--`+word) {
			best = name
		}
	}
	if best == "" {
		return unknown
	}
	return unknown + ", did you mean " + best + "?"
}

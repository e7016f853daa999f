package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/testsupport"
)

// TestExitStatuses: docs/cli.md has the exit statuses of the program, and each error has its own.
func TestExitStatuses(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	testsupport.NoError(t, err)
	for _, status := range command.ExitStatuses() {
		if row := fmt.Sprintf("| %d | %s |\n", status.Code, status.Meaning); !strings.Contains(string(text), row) {
			t.Errorf("docs/cli.md lacks the row %q", row)
		}
	}
	failure := errors.New("it failed")
	for _, c := range []struct {
		want int
		err  error
	}{
		{command.ExitOK, nil},
		{command.ExitFailure, failure},
		{command.ExitUsage, fmt.Errorf("in a file: %w", command.Invalid(failure))},
		{command.ExitInterrupted, command.Interrupted(failure)},
		{command.ExitInterrupted, fmt.Errorf("the backup failed: %w", context.Canceled)},
	} {
		var out bytes.Buffer
		if got := command.Report(&out, c.err); got != c.want || (c.err != nil) != (out.Len() > 0) {
			t.Errorf("%v: got status %d and %q, want %d", c.err, got, out.String(), c.want)
		}
	}
}

// TestCommandsAreListed: docs/cli.md has every command.
func TestCommandsAreListed(t *testing.T) {
	text := testsupport.Value(os.ReadFile("../../docs/cli.md")).OrFail(t)
	var out, errOut bytes.Buffer
	if status := run([]string{"complete", "--", ""}, strings.NewReader(""), &out, &errOut); status != command.ExitOK ||
		out.Len() == 0 {
		t.Fatalf("status %d: %s", status, errOut.String())
	}
	for command := range strings.FieldsSeq(out.String()) {
		if !strings.Contains(string(text), "| `"+command+"` |") {
			t.Errorf("docs/cli.md lacks %s", command)
		}
	}
}

// TestPlaceholders: the help of every command shows what the value of a flag is, and not its type in Go.
func TestPlaceholders(t *testing.T) {
	var commands bytes.Buffer
	if status := run([]string{"complete", "--", ""}, strings.NewReader(""), &commands, &commands); status != command.ExitOK {
		t.Fatal(commands.String())
	}
	for name := range strings.FieldsSeq(commands.String()) {
		var out bytes.Buffer
		if status := run([]string{name, "--help"}, strings.NewReader(""), &out, &out); status != command.ExitOK {
			t.Fatalf("%s: %s", name, out.String())
		}
		for _, kind := range []string{"=STRING", "=FLOAT-64", "=INT", "=UINT-64", "=KEY=VALUE"} {
			if strings.Contains(out.String(), kind) {
				t.Errorf("the help of %s has %s:\n%s", name, kind, out.String())
			}
		}
	}
}

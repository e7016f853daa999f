package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/testsupport"
)

// TestAskLines: without a terminal it asks in lines, and what is in the file does not steer the terminal.
func TestAskLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arms.csv")
	text := "id,label,price\na,\"red \x1b[31m\",1\nb,green,2\nc,blue,3\n"
	testsupport.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	var out, errs bytes.Buffer
	ask := func(lines string, arguments ...string) int {
		return run(append([]string{"ask"}, arguments...), strings.NewReader(lines), &out, &errs)
	}
	if status := ask("1\nx\n9\n2\nu\nq\n", file, "--k", "2"); status != command.ExitOK {
		t.Errorf("status %d, %s", status, errs.String())
	}
	said := out.String()
	if strings.Contains(said, "\x1b") || !strings.Contains(said, `red \x1b[31m`) ||
		!strings.Contains(said, "leads after 1 answer;") || !strings.Contains(said, "--anew") {
		t.Error(said)
	}
	for _, arguments := range [][]string{{file, "--k", "4"}, {file + ".none"}, {file, "--k", "3"}} {
		errs.Reset()
		if status := ask("", arguments...); status != command.ExitUsage || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %s", arguments, status, errs.String())
		}
	}
	if status := ask("q\n", file, "--k", "3", "--anew"); status != command.ExitOK {
		t.Errorf("anew: status %d, %s", status, errs.String())
	}
}

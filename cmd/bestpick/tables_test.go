package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/testsupport"
	"bestpick/strategy"
)

var updateTables = flag.Bool("update-tables", false, "write the reports of TestRealTables")

// TestRealTables: real product tables are read without flags, and their reports are as expected, with
// at most ten lines of notes each.
func TestRealTables(t *testing.T) {
	const maxNotes = 10
	for _, name := range []string{"laptops.csv", "corolla.csv", "housing-melbourne.csv", "cars.json", "movies.json"} {
		t.Run(name, func(t *testing.T) {
			path := testsupport.DataPath(t, filepath.Join("tables", name))
			var out bytes.Buffer
			c := catalogueCommand{File: path, estimateFlags: estimateFlags{
				K: 3, Picks: 1, Each: 20, Delta: 0.05, Epsilon: 0.2,
				Assume: strategy.Linear,
			}}
			testsupport.NoError(t, c.Run(command.Streams{Out: &out, Err: &out}))
			got := strings.ReplaceAll(out.String(), path, name)
			notes := 0
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "note ") || strings.HasPrefix(line, "warning ") || strings.HasPrefix(line, "left out ") {
					notes++
				}
			}
			if notes > maxNotes {
				t.Errorf("%d lines of notes", notes)
			}
			golden := filepath.Join("testdata", "tables", name+".txt")
			if *updateTables {
				testsupport.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want := testsupport.Value(os.ReadFile(golden)).OrFail(t)
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

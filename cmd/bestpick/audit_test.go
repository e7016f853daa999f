package main

import (
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
)

// TestAuditOfCommands: tokens, backups, restored backups and moved studies are in the audit log, with the system's user.
func TestAuditOfCommands(t *testing.T) {
	folder := t.TempDir()
	database, backup, other, again := filepath.Join(folder, "a.db"), filepath.Join(folder, "b.db"), filepath.Join(folder, "c.db"), filepath.Join(folder, "d.db")
	testsupport.NoError(t, keepLamps(t.Context(), database, study.Paused))
	for _, arguments := range [][]string{
		{"token", "add", "Zoë", "--role", "owner", "--database", database},
		{"backup", "--database", database, "--out", backup},
		{"restore", backup, "--database", again, "--keep-tokens"},
		{"move", "lamps", "--from", database, "--to", other, "--delete"},
	} {
		var failed strings.Builder
		if status := run(arguments, strings.NewReader(""), io.Discard, &failed); status != 0 {
			t.Fatalf("%v: %d, %s", arguments, status, failed.String())
		}
	}
	for path, want := range map[string]string{
		database: "create-token \"Zoë\", owner\nback-up to " + backup + "\nmove-study lamps to " + other,
		other:    "move-study lamps from " + database,
		again:    "create-token \"Zoë\", owner\nrestore of " + backup + ", revives 1 token",
	} {
		store := testsupport.Value(sqlite.Open(path)).OrFail(t)
		entries := testsupport.Value(store.Entries(t.Context(), math.MaxInt64, 100)).OrFail(t)
		testsupport.NoError(t, store.Close())
		var got []string
		for _, e := range entries {
			got = append([]string{strings.Join(strings.Fields(e.Operation+" "+e.Study+" "+e.Detail), " ")}, got...)
			if !strings.HasPrefix(e.By, "command line") {
				t.Errorf("%s is by %q", e.Operation, e.By)
			}
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s has\n%s\nwant\n%s", path, strings.Join(got, "\n"), want)
		}
	}
}

package endtoend

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestArchive archives a study with a prior from each store, and restores it in the other. Both commands are killed again and again, at
// later and later moments, until they end before: then nothing may be lost, and the same command must complete the work.
func TestArchive(t *testing.T) {
	world := someArms(t, 6, 0.01, 1)
	places := []place{sqliteFile(t), postgresDatabase(t), sqliteFile(t)}
	crowd := &people{studies: map[string]truth{}, acknowledged: map[string]said{}}
	p := start(t, places[0], "")
	crowd.reach = func(int) *client.Client { return p.Client }
	id := world.draft(t, p.Client, wire.Settings{K: 3, Delta: 1e-12, Grace: -1})
	choices := client.File{Name: "choices.csv", Contents: strings.NewReader("shown_1,shown_2,pick_1\na1,a2,a1\na3,a4,a3\n")}
	if _, err := p.SetPrior(t.Context(), id, 0, choices); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Open(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	crowd.studies[id] = world
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	crowd.answer(ctx, 8, "r")
	cancel()
	if _, err := p.Pause(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	p.stop(t)
	verdict := lastVerdict(t, places[0], id)
	for i, at := range places[:2] {
		folder := filepath.Join(t.TempDir(), "archived")
		archived := func() bool { return !has(t, at, id) }
		restored := func() bool { return has(t, places[i+1], id) }
		killed := killedUntil(t, archived, "archive", id, "--database", at.database, "--out", folder)
		ran(t, "verify", folder)
		killed += killedUntil(t, restored, "restore", folder, "--database", places[i+1].database)
		ran(t, "verify", folder)
		crowd.checked(t, places[i+1])
		if now := lastVerdict(t, places[i+1], id); now != verdict {
			t.Errorf("the verdict was %s, and is %s after the study was restored", verdict, now)
		}
		t.Logf("the commands were killed %d times", killed)
	}
}

// killedUntil kills a command at later and later moments, until its work is done. It returns how often.
func killedUntil(t *testing.T, done func() bool, arguments ...string) (killed int) {
	t.Helper()
	for wait := 20 * time.Millisecond; ; wait += wait / 4 {
		command := exec.CommandContext(testsupport.Limited(t), program, arguments...) //nolint:gosec // the program under test
		said := &lockedBuffer{}
		command.Stdout, command.Stderr = said, said
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(wait, func() { _ = command.Process.Kill() })
		err := command.Wait()
		inTime := kill.Stop()
		switch {
		case inTime && err != nil:
			t.Fatalf("%q after %d kills: %v: %s", arguments, killed, err, said)
		case inTime && !done():
			t.Fatalf("%q succeeds, but its work is not done: %s", arguments, said)
		case done():
			return killed
		}
		killed++
	}
}

// has reports whether a database has a study.
func has(t *testing.T, at place, id string) bool {
	t.Helper()
	store, err := at.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	_, err = store.Study(t.Context(), id)
	return err == nil
}

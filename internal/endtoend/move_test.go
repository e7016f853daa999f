package endtoend

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestMove moves a study with a prior from SQLite to PostgreSQL and back between answers, and loses none of
// them. The command is killed again and again, at later and later moments, until it ends before; then the same
// command completes the work.
func TestMove(t *testing.T) {
	places := []place{sqliteFile(t), postgresDatabase(t), sqliteFile(t)}
	world := someArms(t, 6, 0.01, 1)
	crowd := &people{studies: map[string]truth{}, acknowledged: map[string]said{}}
	var id string
	for i, at := range places {
		p := start(t, at, "")
		crowd.reach = func(int) *client.Client { return p.Client }
		if i == 0 {
			id = world.draft(t, p.Client, wire.Settings{K: 3, Delta: 1e-12, Grace: -1})
			choices := client.File{Name: "choices.csv", Contents: strings.NewReader("shown_1,shown_2,pick_1\na1,a2,a1\na3,a4,a3\n")}
			testsupport.Value(p.SetPrior(t.Context(), id, 0, choices)).OrFail(t)
			crowd.studies[id] = world
		}
		testsupport.Value(p.Open(t.Context(), id)).OrFail(t)
		had := len(crowd.acknowledged)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		crowd.answer(ctx, 8, strings.Repeat("r", i+1))
		cancel()
		if len(crowd.acknowledged) < had+20 {
			t.Errorf("%d answers were acknowledged, %d before", len(crowd.acknowledged), had)
		}
		testsupport.Value(p.Pause(t.Context(), id)).OrFail(t)
		verified(t, p.Client, id)
		ran(t, "doctor", "--database", at.database, "--listen", "127.0.0.1:0") // while the database is in use
		p.stop(t)
		crowd.checked(t, at)
		if i+1 == len(places) {
			break
		}
		verdict := lastVerdict(t, at, id)
		moved := func() bool { return !has(t, at, id) }
		killed := killedUntil(t, moved, "move", id, "--from", at.database, "--to", places[i+1].database, "--delete")
		t.Logf("the command was killed %d times", killed)
		crowd.checked(t, places[i+1])
		if now := lastVerdict(t, places[i+1], id); now != verdict {
			t.Errorf("the verdict was %s, and is %s after the move", verdict, now)
		}
	}
}

// lastVerdict returns the verdict of a study's last plan.
func lastVerdict(t *testing.T, at place, id string) string {
	t.Helper()
	store := testsupport.Value(at.open(t.Context())).OrFail(t)
	defer store.Close()
	last := testsupport.Value(store.LastPlan(t.Context(), id)).OrFail(t)
	return string(last.Verdict)
}

// killedUntil kills a command at later and later moments, until its work is done. It returns how often.
func killedUntil(t *testing.T, done func() bool, arguments ...string) (killed int) {
	t.Helper()
	for wait := 20 * time.Millisecond; ; wait += wait / 4 {
		command := exec.CommandContext(testsupport.Limited(t), program, arguments...) //nolint:gosec // the program under test
		said := &lockedBuffer{}
		command.Stdout, command.Stderr = said, said
		testsupport.NoError(t, command.Start())
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
	testsupport.NoError(t, err)
	defer func() { _ = store.Close() }()
	_, err = store.Study(t.Context(), id)
	return err == nil
}

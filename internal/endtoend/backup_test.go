package endtoend

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestBackup makes backups while people answer. Each contains every answer acknowledged before it
// began exactly once. Its verdict follows from its log, and after a restore its studies continue.
func TestBackup(t *testing.T) {
	at := sqliteFile(t)
	p := start(t, at, "")
	crowd := &people{studies: map[string]truth{}, duplicate: 0.1, abandon: 0.02, acknowledged: map[string]said{}}
	crowd.reach = func(int) *client.Client { return p.Client }
	for i := range 2 {
		world := someArms(t, 6, 0.01, uint64(i))
		// So small a gap and δ that it does not end before the test does.
		crowd.studies[world.newStudy(t, p.Client, wire.Settings{K: 3, Delta: 1e-12, Grace: -1, Lease: 1})] = world
	}
	var before map[string]said
	var restored place
	backUp := func(i int) {
		time.Sleep(time.Second)
		crowd.mutex.Lock()
		before = maps.Clone(crowd.acknowledged)
		crowd.mutex.Unlock()
		folder := t.TempDir()
		backup, path := filepath.Join(folder, "backup.db"), filepath.Join(folder, "studies.db")
		ran(t, "backup", "--database", at.database, "--out", backup)
		ran(t, "restore", backup, "--database", path)
		restored = fileIn(folder)
		then := &people{studies: crowd.studies, acknowledged: before}
		t.Logf("backup %d: %d answers, %d acknowledged before", i+1, then.checked(t, restored), len(before))
	}
	crowd.during(t, 12, "r", func() {
		for i := range 3 {
			backUp(i)
		}
	})
	p.stop(t)
	if len(before) < 50 {
		t.Errorf("only %d answers were acknowledged, which is too little load", len(before))
	}
	crowd.checked(t, at)
	goesOn(t, restored, p.Token, crowd.studies, before)
}

// goesOn has people answer the studies of a backup, and checks the answers from before it, too.
func goesOn(t *testing.T, at place, token string, studies map[string]truth, before map[string]said) {
	t.Helper()
	p := start(t, at, token)
	crowd := &people{studies: studies, acknowledged: before, reach: func(int) *client.Client { return p.Client }}
	had := len(before)
	plans := map[string]int{}
	for id := range studies {
		plans[id] = plansOf(t, p.Client, id)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	crowd.answer(ctx, 8, "later")
	for id := range studies {
		if now := plansOf(t, p.Client, id); now <= plans[id] {
			t.Errorf("study %s makes no plan after plan %d", id, now)
		}
		verified(t, p.Client, id)
	}
	p.stop(t)
	crowd.checked(t, at)
	if len(crowd.acknowledged) < had+20 {
		t.Errorf("%d answers were acknowledged before, %d in total", had, len(crowd.acknowledged))
	}
}

// ran runs the program, and fails unless it succeeds.
func ran(t *testing.T, arguments ...string) {
	t.Helper()
	out, err := exec.CommandContext(testsupport.Limited(t), program, arguments...).CombinedOutput() //nolint:gosec // the program under test
	if err != nil {
		t.Fatal(fmt.Errorf("bestpick %v: %w\n%s", arguments, err, out))
	}
}

// plansOf returns the number of a study's last plan.
func plansOf(t *testing.T, c *client.Client, id string) int {
	t.Helper()
	verdict := testsupport.Value(c.Verdict(t.Context(), id)).OrFail(t)
	return verdict.Plan
}

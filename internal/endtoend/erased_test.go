package endtoend

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

func TestErasedOnSQLite(t *testing.T)     { erasedUnderLoad(t, sqliteFile(t)) }
func TestErasedOnPostgreSQL(t *testing.T) { erasedUnderLoad(t, postgresDatabase(t)) }

// erasedUnderLoad has two processes serve many respondents, some of whom are erased, while one of
// the processes is killed repeatedly. No data of erased respondents remain, every acknowledged
// answer of the others is in the log, and the verdict follows from the log.
func erasedUnderLoad(t *testing.T, at place) {
	t.Helper()
	first := start(t, at, "")
	second := start(t, at, first.Token)
	world := someArms(t, 6, 0.01, 2)
	id := world.newStudy(t, first.Client, wire.Settings{
		K: 3, Delta: 1e-12,
		Grace: -1,
	}) // so small a δ that it does not end before the test does
	crowd := &people{
		studies: map[string]truth{id: world}, duplicate: 0.1, abandon: 0.02, delay: thinking,
		acknowledged: map[string]said{},
	}
	var current atomic.Pointer[client.Client]
	current.Store(second.Client)
	crowd.reach = func(try int) *client.Client { return []*client.Client{first.Client, current.Load()}[try%2] }
	const erasures = 4
	var gone []string
	erase := func(i int) {
		who := crowd.acknowledgedRespondent(t)
		if i%2 == 0 { // by the process that is killed meanwhile
			var erasing sync.WaitGroup
			erasing.Go(func() { _, _ = current.Load().Erase(t.Context(), id, who) })
			time.Sleep(time.Duration(5*i) * time.Millisecond)
			second.kill()
			testsupport.Wait(t, "erasing", erasing.Wait)
			second = start(t, at, first.Token)
			current.Store(second.Client)
		}
		testsupport.Value(current.Load().Erase(t.Context(), id, who)).OrFail(t)
		gone = append(gone, who)
	}
	crowd.during(t, 12, "r", func() {
		for i := range erasures {
			erase(i)
		}
		crowd.more(t, 20)
	})
	for _, c := range []*client.Client{first.Client, second.Client} {
		export := string(verified(t, c, id))
		for _, who := range gone {
			if strings.Contains(export, `"`+who+`"`) {
				t.Errorf("%s is in the export", who)
			}
		}
	}
	first.stop(t)
	second.stop(t)
	for _, who := range gone {
		delete(crowd.acknowledged, who)
	}
	t.Logf("%d answers, %d acknowledged", crowd.checked(t, at), len(crowd.acknowledged))
	if len(crowd.acknowledged) < 20*erasures {
		t.Errorf("only %d answers were acknowledged, which is too little load", len(crowd.acknowledged))
	}
}

// acknowledgedRespondent waits for more answers, and returns a respondent of an acknowledged one.
func (p *people) acknowledgedRespondent(t *testing.T) string {
	t.Helper()
	enough := 0
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		p.mutex.Lock()
		now := len(p.acknowledged)
		if enough == 0 {
			enough = now + 40
		}
		if now >= enough {
			for who := range p.acknowledged {
				delete(p.acknowledged, who)
				p.mutex.Unlock()
				return who
			}
		}
		p.mutex.Unlock()
	}
	t.Fatal("no answers are acknowledged")
	return ""
}

// TestBackup makes backups while people answer. Each contains every answer acknowledged before it
// began exactly once. Its verdict follows from its log, and after a restore its studies continue.
func TestBackup(t *testing.T) {
	at := sqliteFile(t)
	p := start(t, at, "")
	crowd := &people{studies: map[string]truth{}, delay: thinking, duplicate: 0.1, abandon: 0.02, acknowledged: map[string]said{}}
	crowd.reach = func(int) *client.Client { return p.Client }
	for i := range 2 {
		world := someArms(t, 6, 0.01, uint64(i))
		// So small a gap and δ that it does not end before the test does.
		crowd.studies[world.newStudy(t, p.Client, wire.Settings{K: 3, Delta: 1e-12, Grace: -1, Lease: 1})] = world
	}
	var before map[string]said
	var restored place
	backUp := func(i int) {
		crowd.more(t, 40)
		crowd.mutex.Lock()
		before = maps.Clone(crowd.acknowledged)
		crowd.mutex.Unlock()
		folder := t.TempDir()
		backup, path := filepath.Join(folder, "backup.db"), filepath.Join(folder, "studies.db")
		ran(t, "backup", "--database", at.database, "--out", backup)
		ran(t, "restore", backup, "--database", path, "--keep-tokens")
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
	crowd := &people{studies: studies, delay: thinking, acknowledged: before, reach: func(int) *client.Client { return p.Client }}
	plans := map[string]int{}
	for id := range studies {
		plans[id] = plansOf(t, p.Client, id)
	}
	crowd.during(t, 8, "later", func() {
		crowd.more(t, 20)
		for id, before := range plans {
			eventually(t, "study "+id+" makes another plan", 20*time.Second, func() bool { return plansOf(t, p.Client, id) > before })
		}
	})
	for id := range studies {
		verified(t, p.Client, id)
	}
	p.stop(t)
	crowd.checked(t, at)
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

// TestMove moves a study with a prior from SQLite to PostgreSQL and back between answers, and loses none of
// them. The command is killed again and again, at later and later moments, until it ends before; then the same
// command completes the work.
func TestMove(t *testing.T) {
	t.Parallel()
	places := []place{sqliteFile(t), postgresDatabase(t), sqliteFile(t)}
	world := someArms(t, 6, 0.01, 1)
	crowd := &people{studies: map[string]truth{}, delay: thinking, acknowledged: map[string]said{}}
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
		crowd.during(t, 8, strings.Repeat("r", i+1), func() { crowd.more(t, 40) })
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
	for wait := 50 * time.Millisecond; ; wait += wait / 4 {
		command := exec.CommandContext(testsupport.Limited(t), program, arguments...) //nolint:gosec // the program under test
		said := &testsupport.Log{}
		command.Stdout, command.Stderr = said, said
		testsupport.NoError(t, command.Start())
		kill := time.AfterFunc(wait, func() { _ = command.Process.Kill() })
		err := command.Wait()
		inTime := kill.Stop()
		switch {
		case inTime && err != nil && (killed == 0 || !done()): // what a killed command began may end after a look
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

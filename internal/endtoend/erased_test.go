package endtoend

import (
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
	id := world.newStudy(t, first.Client, wire.Settings{K: 3, Delta: 1e-12, Grace: -1}) // so small a δ that it does not end before the test does
	crowd := &people{studies: map[string]truth{id: world}, duplicate: 0.1, abandon: 0.02, delay: thinking, acknowledged: map[string]said{}}
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

package endtoend

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

func TestKilledOnSQLite(t *testing.T)     { killedUnderLoad(t, sqliteFile(t), 5) }
func TestKilledOnPostgreSQL(t *testing.T) { killedUnderLoad(t, postgresDatabase(t), 5) }

// killedUnderLoad kills the process repeatedly while people answer three studies. Every
// acknowledged answer must be in the log exactly once, every study must continue, and the verdict
// must follow from the log.
func killedUnderLoad(t *testing.T, at place, kills int) {
	t.Helper()
	p := start(t, at, "")
	token := p.Token
	crowd := &people{studies: map[string]truth{}, duplicate: 0.1, abandon: 0.02, acknowledged: map[string]said{}}
	for i := range 3 {
		world := someArms(t, 6, 0.01, uint64(i))
		// So small a gap and δ that it does not end before the test does.
		crowd.studies[world.newStudy(t, p.Client, wire.Settings{K: 3, Delta: 1e-12, Grace: -1})] = world
	}
	var current atomic.Pointer[client.Client]
	current.Store(p.Client)
	crowd.reach = func(int) *client.Client { return current.Load() }
	ctx, cancel := context.WithCancel(t.Context())
	var answering sync.WaitGroup
	answering.Go(func() { crowd.answer(ctx, 12, "r") })
	random := rand.New(rand.NewPCG(3, 3))
	plans := map[string]int{}
	for kill := range kills {
		time.Sleep(time.Duration(100+random.IntN(400)) * time.Millisecond)
		crowd.await(t, 10*(kill+1))
		p.kill()
		p = start(t, at, token)
		current.Store(p.Client)
	}
	for id := range crowd.studies { // every study continues after the last kill
		plans[id] = plansOf(t, p.Client, id)
	}
	for id := range crowd.studies {
		for deadline := time.Now().Add(20 * time.Second); plansOf(t, p.Client, id) <= plans[id]; {
			if time.Now().After(deadline) {
				t.Fatalf("study %s makes no plan", id)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	cancel()
	testsupport.Wait(t, "answering", answering.Wait)
	for id := range crowd.studies {
		verified(t, p.Client, id)
	}
	p.stop(t)
	answers := crowd.checked(t, at)
	t.Logf("%d answers, %d acknowledged", answers, len(crowd.acknowledged))
}

// await waits until this many answers are acknowledged.
func (p *people) await(t *testing.T, answers int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); p.answers() < answers; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d answers are acknowledged, %d were expected by now", p.answers(), answers)
		}
	}
}

func plansOf(t *testing.T, c *client.Client, id string) int {
	t.Helper()
	verdict, err := c.Verdict(t.Context(), id)
	testsupport.NoError(t, err)
	return verdict.Plan
}

package endtoend

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// A trial is a service that people use while faults happen repeatedly. After each round every
// acknowledged answer must be in the log once, the verdict must follow from the log, and no
// resources of disconnected clients may remain.
type trial struct {
	*testing.T

	at        place
	clients   []*client.Client // one per process
	processes []*process       // empty if the servers run in this process
	crowd     *people
	turn      atomic.Int64
	rounds    int
	before    []resources // of the processes, before the first round
}

// atOnce is the number of people who answer concurrently.
const atOnce = 12

// try starts processes on a database, and lets people answer.
func try(t *testing.T, at place, processes int, flags ...string) *trial {
	t.Helper()
	var started []*process
	var clients []*client.Client
	token := ""
	for range processes {
		p := start(t, at, token, flags...)
		token = p.Token
		started, clients = append(started, p), append(clients, p.Client)
	}
	s := tryWith(t, at, clients...)
	s.processes = started
	for _, p := range started {
		s.before = append(s.before, p.resources(t))
	}
	return s
}

// tryWith lets people answer two studies that do not end before the trial does. In one of them
// answers count at once.
func tryWith(t *testing.T, at place, clients ...*client.Client) *trial {
	t.Helper()
	s := &trial{
		T: t, at: at, clients: clients,
		crowd: &people{
			studies: map[string]truth{}, delay: 60 * time.Millisecond, duplicate: 0.1, abandon: 0.02,
			acknowledged: map[string]said{},
		},
	}
	for i, grace := range []float64{-1, 0.5} {
		world := someArms(t, 6, 0.01, uint64(i))
		s.crowd.studies[world.newStudy(t, clients[0], wire.Settings{K: 3, Delta: 1e-12, Grace: grace})] = world
	}
	s.crowd.reach = func(int) *client.Client { return clients[int(s.turn.Add(1))%len(clients)] }
	s.round(func() {}) // opens all connections and files that stay open
	return s
}

// round runs happens while people answer, and checks everything after they have disconnected.
func (s *trial) round(happens func()) {
	s.Helper()
	s.rounds++
	s.crowd.during(s.T, atOnce, fmt.Sprint("r", s.rounds), func() {
		s.answered(20)
		happens()
		s.answered(20)
		s.goesOn()
	})
	s.check()
}

// answered waits until the given number of further answers are acknowledged.
func (s *trial) answered(more int) {
	s.Helper()
	s.crowd.more(s.T, more)
}

// goesOn waits until every study has another plan.
func (s *trial) goesOn() {
	s.Helper()
	for id := range s.crowd.studies {
		before := -1
		s.eventually("study "+id+" goes on", func() bool {
			verdict, err := s.clients[0].Verdict(s.Context(), id)
			if err == nil && before < 0 {
				before = verdict.Plan
			}
			return err == nil && verdict.Plan > before
		})
	}
}

// eventually waits until a condition holds. On a full disk, SQLite fills the log that it has: that took up to 19 s.
func (s *trial) eventually(what string, is func() bool) {
	s.Helper()
	eventually(s.T, fmt.Sprintf("%s, in round %d", what, s.rounds), time.Minute, is)
}

// check checks the log, the verdicts and the resources.
func (s *trial) check() {
	s.Helper()
	for _, c := range s.clients {
		c.HTTP.CloseIdleConnections()
	}
	store := testsupport.Value(s.at.open(s.Context())).OrFail(s)
	s.crowd.logged(s.T, store)
	if err := store.Close(); err != nil {
		s.Error(err)
	}
	for id := range s.crowd.studies {
		verified(s.T, s.clients[0], id)
	}
	for i, before := range s.before {
		s.processes[i].left(s.T, before)
	}
	if s.at.server != nil {
		s.at.connected(s.T, len(s.clients))
	}
	if n := s.crowd.told[http.StatusInternalServerError]; n > 0 {
		s.Errorf("round %d: %d replies were failures", s.rounds, n)
	}
	if s.Failed() {
		s.FailNow()
	}
}

// end stops the processes, and checks the stored data once more.
func (s *trial) end() {
	s.Helper()
	for _, p := range s.processes {
		p.stop(s.T)
	}
	s.Logf("%d rounds, %d answers, %d acknowledged, other replies by status %v", s.rounds, s.crowd.checked(s.T, s.at),
		s.crowd.answers(), s.crowd.told)
}

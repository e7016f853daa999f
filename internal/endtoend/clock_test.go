package endtoend

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/api"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
	"bestpick/internal/testsupport"
)

func TestClockJumps(t *testing.T) { clockJumps(t, postgresDatabase(t), 2, 2) }

// A clock can be set. Unlike the clock of a process it also shifts monotonic times, which is worse
// than a step of a real clock.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time         { return time.Now().Round(0).Add(time.Duration(c.offset.Load())) }
func (c *clock) jump(far time.Duration) { c.offset.Add(int64(far)) }

// A mute store does not release its planner's lease, like a killed process.
type mute struct{ study.Store }

func (m mute) AcquireLease(ctx context.Context, id, planner string, now, until time.Time) error {
	if until.Equal(now) {
		return nil
	}
	return m.Store.AcquireLease(ctx, id, planner, now, until)
}

// serveHere serves studies in this process, with a clock that can be set. stop ends it.
func serveHere(t *testing.T, at place, c *clock) (owner *client.Client, stop func()) {
	t.Helper()
	store := testsupport.Value(at.open(t.Context())).OrFail(t)
	tokens, ok := store.(interface {
		access.Tokens
		access.Audit
	})
	if !ok {
		t.Fatal("the store does not store tokens")
	}
	studies, err := wiring.New(t.Context(), mute{store}, wiring.Options{
		Clock: c.now, Patience: 3 * time.Second, Report: func(_ string, err error) { t.Errorf("planning: %v", err) },
	})
	testsupport.NoError(t, err)
	secret, token := access.New(fmt.Sprint("owner ", rand.Int()), access.Owner, time.Now())
	testsupport.NoError(t, tokens.AddToken(t.Context(), token))
	handler := api.Handler(studies, api.Options{Version: "1", Tokens: tokens, Audit: tokens})
	limiter := middleware.NewLimiter(1e6, 1e6) // too high to be exceeded, unless the clock misleads the limiter
	refuse := func(w http.ResponseWriter, _ *http.Request, wait time.Duration) { api.TooMany(w, wait) }
	server := httptest.NewServer(middleware.Chain(handler, middleware.Limit(limiter, c.now, refuse)))
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var planning sync.WaitGroup
	planning.Go(func() { studies.Planning.Run(ctx) })
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	owner = &client.Client{URL: server.URL, Token: secret, HTTP: &http.Client{Transport: transport, Timeout: 20 * time.Second}}
	stop = sync.OnceFunc(func() {
		transport.CloseIdleConnections()
		server.Close()
		cancel()
		testsupport.Wait(t, "planning", planning.Wait)
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return owner, stop
}

// clockJumps sets the clocks of servers independently, by seconds to days, forwards and backwards.
// Studies continue within seconds, even if a server is replaced by another.
func clockJumps(t *testing.T, at place, servers, times int) {
	t.Helper()
	running := goleak.IgnoreCurrent()
	clocks, stops := make([]clock, servers), make([]func(), servers)
	clients := make([]*client.Client, servers)
	for i := range servers {
		clients[i], stops[i] = serveHere(t, at, &clocks[i])
	}
	s := tryWith(t, at, clients...)
	random := rand.New(rand.NewPCG(7, uint64(servers)))
	for round := range times {
		s.round(func() {
			for i := range clocks {
				far := []time.Duration{time.Hour, time.Second, 24 * time.Hour, time.Minute}[(round/2+i)%4]
				far += time.Duration(random.Int64N(int64(far)))
				if round%2 == 1 {
					far = -far
				}
				clocks[i].jump(far)
				s.answered(5)
			}
		})
		if round%3 == 2 { // the planner with that clock is gone
			last := servers - 1
			stops[last]()
			clients[last], stops[last] = serveHere(t, at, &clocks[last])
		}
	}
	for _, stop := range stops {
		stop()
	}
	s.end()
	if err := goleak.Find(running); err != nil {
		t.Error(err)
	}
}

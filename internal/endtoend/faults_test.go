package endtoend

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
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
	"bestpick/internal/testpostgres"
	"bestpick/internal/testsupport"
)

func TestKilledOnSQLite(t *testing.T)     { killedUnderLoad(t, sqliteFile(t), 3) }
func TestKilledOnPostgreSQL(t *testing.T) { killedUnderLoad(t, postgresDatabase(t), 3) }

// killedUnderLoad kills and restarts the process repeatedly while people answer.
func killedUnderLoad(t *testing.T, at place, kills int) {
	t.Helper()
	s := try(t, at, 1)
	var current atomic.Pointer[client.Client]
	current.Store(s.clients[0])
	s.crowd.reach = func(int) *client.Client { return current.Load() }
	for range kills {
		s.round(func() {
			s.processes[0].kill()
			p := start(t, at, s.clients[0].Token)
			s.processes[0], s.clients[0] = p, p.Client
			current.Store(p.Client)
		})
	}
	s.end()
}

func TestPostgreSQLRestarts(t *testing.T) { databaseRestarts(t, 1, 2) }

// databaseRestarts stops PostgreSQL repeatedly, alternating between a shutdown and a crash, and
// starts it after a while. Meanwhile processes are not ready and reply with 503; then they recover.
func databaseRestarts(t *testing.T, processes, times int) {
	t.Helper()
	s := try(t, postgresDatabase(t), processes)
	for i := range times {
		s.round(func() {
			s.at.server.Down(t, []string{testpostgres.Fast, testpostgres.Immediate}[i%2])
			for _, p := range s.processes {
				if status, _, text := get(t, p.Client, "/readyz", ""); status != 503 || !strings.Contains(text, "database") {
					t.Errorf("without a database /readyz is %d %q", status, text)
				}
				if status, _, _ := get(t, p.Client, "/healthz", ""); status != 200 {
					t.Errorf("without a database /healthz is %d", status)
				}
			}
			time.Sleep(time.Duration(i%3) * 300 * time.Millisecond)
			s.at.server.Up(t)
		})
	}
	for _, p := range s.processes {
		s.eventually("it is ready again", func() bool {
			status, _, _ := get(t, p.Client, "/readyz", "")
			return status == 200
		})
	}
	s.end()
	if s.crowd.told[503] == 0 {
		t.Error("no request was rejected while the database was down")
	}
	for _, p := range s.processes {
		if log := p.log.String(); strings.Contains(log, "panic") || regexp.MustCompile(`msg="[\w.]+: `).MatchString(log) {
			t.Error(log) // or River words messages
		}
	}
}

func TestRollingRestarts(t *testing.T) {
	rollingRestarts(t, postgresDatabase(t), haproxy(),
		rolling{people: 20, restarts: 2, think: 200 * time.Millisecond, drain: 2 * time.Second})
}

// rolling configures rolling restarts: how replicas are restarted, and how many people answer
// meanwhile.
type rolling struct {
	people, restarts int
	think, drain     time.Duration
}

// rollingRestarts restarts two replicas in turn while people answer and an owner reads the verdict.
// No request fails, and no answer is lost.
func rollingRestarts(t *testing.T, at place, front balancer, r rolling) {
	t.Helper()
	f := newFleet(t, at, front, r.drain)
	crowd := f.respondents(r.think)
	f.while(crowd, r.people, func() {
		looking, stop := context.WithCancel(t.Context())
		var owner sync.WaitGroup
		owner.Go(func() { f.look(looking, crowd) })
		for i := range r.restarts {
			f.restart(i % 2)
		}
		stop()
		testsupport.Wait(t, "owner", owner.Wait)
	})
	f.unharmed(crowd)
	for _, replica := range f.replicas {
		replica.stop(t)
	}
}

// look has an owner read the verdicts repeatedly.
func (f *fleet) look(ctx context.Context, crowd *people) {
	for ctx.Err() == nil {
		for id := range crowd.studies {
			if _, err := f.Verdict(ctx, id); err != nil && ctx.Err() == nil {
				f.Errorf("reading the verdict: %v", err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func TestConnectionsOfClients(t *testing.T)    { clientsCutOff(t, 2) }
func TestConnectionsOfPostgreSQL(t *testing.T) { databaseCutOff(t, 2) }

// treatments lists the network faults of the tests.
func treatments() []manners {
	return []manners{
		{cut: 2000}, // connections end within requests and replies
		{delay: 20 * time.Millisecond, piece: 50}, // connections are slow
		{cut: 20_000, delay: 5 * time.Millisecond},
	}
}

// badly applies a fault to connections for a while, and then cuts them all.
func badly(p *proxy, how manners, long time.Duration) {
	p.behave(how)
	time.Sleep(long)
	p.cutAll()
	p.behave(manners{})
}

// clientsCutOff cuts and slows connections between respondents and the server. In addition, a
// client sends half a request and waits.
func clientsCutOff(t *testing.T, times int) {
	t.Helper()
	s := try(t, sqliteFile(t), 1)
	p := s.processes[0]
	between := newProxy(t, "tcp", strings.TrimPrefix(p.URL, "http://"))
	through := &client.Client{URL: "http://" + between.address(), Token: p.Token, HTTP: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: 5 * time.Second,
	}}
	s.clients = append(s.clients, through)
	s.crowd.reach = func(int) *client.Client { return through }
	for i := range times {
		s.round(func() {
			half := p.dial(t)
			send(t, half, "POST /api/v1/studies/x/answers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
			badly(between, treatments()[i%3], 500*time.Millisecond)
			_ = half.Close()
		})
	}
	s.end()
	if log := p.log.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "panic") {
		t.Error(log)
	}
}

// databaseCutOff cuts and slows connections between the server and PostgreSQL.
func databaseCutOff(t *testing.T, times int) {
	t.Helper()
	at, between := databaseBehindProxy(t)
	s := try(t, at, 1)
	for i := range times {
		s.round(func() { badly(between, treatments()[i%3], 500*time.Millisecond) })
	}
	s.end()
}

// databaseBehindProxy starts a PostgreSQL server that processes reach through a proxy, and the test
// directly.
func databaseBehindProxy(t *testing.T) (place, *proxy) {
	t.Helper()
	at := postgresDatabase(t)
	address := testsupport.Value(url.Parse(at.database)).OrFail(t)
	between := newProxy(t, "unix", address.Query().Get("host")+"/.s.PGSQL.5432")
	at.database = fmt.Sprintf("postgres://postgres@%s%s?sslmode=disable", between.address(), address.Path)
	return at, between
}

// silence checks that servers and planners give up PostgreSQL connections that silently stop
// working, and that waiting clients receive a Retry-After.
func silence(t *testing.T) {
	t.Helper()
	at, between := databaseBehindProxy(t)
	s := try(t, at, 1)
	s.round(func() {
		between.behave(manners{hole: true})
		told := s.crowd.refusals()
		const longest = 30 * time.Second
		ctx, cancel := context.WithTimeout(t.Context(), longest)
		defer cancel()
		for s.crowd.refusals() == told {
			if ctx.Err() != nil {
				t.Fatal("no request is rejected with Retry-After")
			}
			time.Sleep(50 * time.Millisecond)
		}
		between.behave(manners{}) // but the packets dropped so far are lost
		// A dead connection keeps its place in the pool for up to 25 s: a statement waits for 10 s, and pgx closes it within 15.
		answered := s.crowd.answers()
		eventually(t, "people answer again", 40*time.Second, func() bool { return s.crowd.answers() > answered })
	})
	s.end()
}

func TestClockJumps(t *testing.T) { clockJumps(t, postgresDatabase(t), 2, 2) }

// A clock can be set. Unlike the clock of a process it also shifts monotonic times, which is worse
// than a step of a real clock.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time         { return time.Now().Round(0).Add(time.Duration(c.offset.Load())) }
func (c *clock) jump(far time.Duration) { c.offset.Add(int64(far)) }

// A mute store does not release its planner's lease, like a killed process.
type mute struct{ study.Store }

func (mute) Release(context.Context, string, string, int) error { return nil }

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
		Clock: c.now, Patience: 3 * time.Second, Report: func(of string, err error) { t.Errorf("planning %s: %v", of, err) },
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

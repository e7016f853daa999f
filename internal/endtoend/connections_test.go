package endtoend

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
)

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
	})
	s.end()
}

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
)

func TestConnectionsOfClients(t *testing.T)    { clientsCutOff(t, 2) }
func TestConnectionsOfPostgreSQL(t *testing.T) { databaseCutOff(t, 2) }

// treatments are what a network may do to connections for a while.
func treatments() []manners {
	return []manners{
		{cut: 2000}, // they end in the middle of requests and replies
		{delay: 20 * time.Millisecond, piece: 50}, // they are slow
		{cut: 20_000, delay: 5 * time.Millisecond},
	}
}

// badly treats connections for a while, and cuts them all at the end.
func badly(p *proxy, how manners, long time.Duration) {
	p.behave(how)
	time.Sleep(long)
	p.cutAll()
	p.behave(manners{})
}

// clientsCutOff has connections between people and the server cut and slowed. Besides, somebody sends half a request
// and waits.
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

// databaseCutOff has connections between the server and PostgreSQL cut and slowed.
func databaseCutOff(t *testing.T, times int) {
	t.Helper()
	at, between := databaseBehindProxy(t)
	s := try(t, at, 1)
	for i := range times {
		s.round(func() { badly(between, treatments()[i%3], 500*time.Millisecond) })
	}
	s.end()
}

// databaseBehindProxy is one on a server of its own that processes reach through a proxy, and the test does not.
func databaseBehindProxy(t *testing.T) (place, *proxy) {
	t.Helper()
	at := postgresDatabase(t)
	address, err := url.Parse(at.database)
	if err != nil {
		t.Fatal(err)
	}
	between := newProxy(t, "unix", address.Query().Get("host")+"/.s.PGSQL.5432")
	at.database = fmt.Sprintf("postgres://postgres@%s%s?sslmode=disable", between.address(), address.Path)
	return at, between
}

// silence: connections to PostgreSQL over which nothing comes any more, without anybody having said so, are given
// up in time, also by planners, and those who wait are told to come later.
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
				t.Fatal("nobody is told to come later")
			}
			time.Sleep(50 * time.Millisecond)
		}
		between.behave(manners{}) // but what has fallen into the hole is lost
	})
	s.end()
}

package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/internal/approx"
	"bestpick/internal/testsupport"
)

// TestConnection: all requests share one connection, even if replies are not read to the end. After the
// server has closed it, there is another one.
func TestConnection(t *testing.T) {
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
		_, _ = io.WriteString(w, strings.Repeat(" and much more", 1000))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client := &http.Client{Transport: &Connection{}}
	defer client.CloseIdleConnections()
	for i, connections := range []int64{1, 1, 1, 2, 2} {
		if i == 3 {
			server.CloseClientConnections()
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("hello"))
		testsupport.NoError(t, err)
		reply, err := client.Do(request)
		testsupport.NoError(t, err)
		said := make([]byte, 9)
		if _, err := io.ReadFull(reply.Body, said); err != nil || string(said) != "hello and" {
			t.Errorf("reply %q, %v", said, err)
		}
		if err := reply.Body.Close(); err != nil || opened.Load() != connections {
			t.Errorf("request %d: %v, %d connections", i, err, opened.Load())
		}
	}
}

// TestNoConnection: an unreachable server, or an untrusted certificate, is an error.
func TestNoConnection(t *testing.T) {
	secret := httptest.NewTLSServer(http.NotFoundHandler())
	defer secret.Close()
	for _, url := range []string{"http://127.0.0.1:1", secret.URL} {
		client := &http.Client{Transport: &Connection{}}
		for range 2 {
			request := testsupport.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)).OrFail(t)
			reply, err := client.Do(request)
			if err == nil {
				t.Errorf("%s replies %v", url, reply.Body.Close())
			}
		}
	}
}

func TestLatencies(t *testing.T) {
	var l latencies
	if got := l.summary(); got != (Latency{}) {
		t.Errorf("without any: %+v", got)
	}
	for i := range 200 {
		l.add(time.Duration(200-i) * time.Millisecond)
	}
	if got, want := l.summary(), (Latency{P50: 100, P90: 180, P99: 198, Max: 200}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestUsage: failed readings are left out, and the others summarised.
func TestUsage(t *testing.T) {
	var s samples
	processor := func(u Usage) float64 { return u.Processor }
	s.add(t.Context(), nil)
	if s.memory() != nil || s.perAnswer(processor, 7) != 0 {
		t.Errorf("without a reading: %v", s.memory())
	}
	s.add(t.Context(), func(context.Context) (Usage, error) { return Usage{Memory: 1 << 20}, nil })
	if got := *s.memory(); got != (Memory{1, 1, 1, 1}) {
		t.Errorf("after one reading: %+v", got)
	}
	s = samples{}
	for n := range 20 { // two per tenth
		s.add(t.Context(), func(context.Context) (Usage, error) {
			return Usage{Memory: float64((n*8)%21) * (1 << 20), Processor: 3 + float64(n)}, nil
		})
		s.add(t.Context(), func(context.Context) (Usage, error) { return Usage{1e12, 1e12, 1e12}, errors.New("no") })
	}
	got := s.memory()
	approx.Equal(t, "before", got.Before, 0, 1e-9)
	approx.Equal(t, "early", got.Early, 9.5, 1e-9) // 16 and 3
	approx.Equal(t, "late", got.Late, 11.5, 1e-9)  // 18 and 5
	approx.Equal(t, "most", got.Most, 20, 1e-9)
	approx.Equal(t, "processor", s.perAnswer(processor, 50), 0.38, 1e-9) // 19 s for 50 answers
	if s.perAnswer(processor, 0) != 0 {
		t.Error("without answers the CPU time per answer is not 0")
	}
}

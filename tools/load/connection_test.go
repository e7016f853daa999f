package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

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

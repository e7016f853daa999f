package load_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"bestpick/load"
)

// TestConnection: all requests go over one connection, whatever is left unread of the replies, and over another one
// after the server has closed it.
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
	client := &http.Client{Transport: &load.Connection{}}
	defer client.CloseIdleConnections()
	for i, connections := range []int64{1, 1, 1, 2, 2} {
		if i == 3 {
			server.CloseClientConnections()
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		reply, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		said := make([]byte, 9)
		if _, err := io.ReadFull(reply.Body, said); err != nil || string(said) != "hello and" {
			t.Errorf("it says %q, %v", said, err)
		}
		if err := reply.Body.Close(); err != nil || opened.Load() != connections {
			t.Errorf("request %d: %v, and there were %d connections", i, err, opened.Load())
		}
	}
}

// TestNoConnection: whoever cannot be reached, or is not who they say, is an error.
func TestNoConnection(t *testing.T) {
	secret := httptest.NewTLSServer(http.NotFoundHandler())
	defer secret.Close()
	for _, url := range []string{"http://127.0.0.1:1", secret.URL} {
		client := &http.Client{Transport: &load.Connection{}}
		for range 2 {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			reply, err := client.Do(request)
			if err == nil {
				t.Errorf("%s replies %v", url, reply.Body.Close())
			}
		}
	}
}

package picture

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestFailingLinks: pictures that load, redirect or are not checked are not listed; others are, with the reason, and
// what is known is not asked again.
func TestFailingLinks(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.URL.Path {
		case "/good.png":
			w.Header().Set("Content-Type", "image/png")
		case "/page":
			w.Header().Set("Content-Type", "text/html")
		case "/moved.png":
			http.Redirect(w, r, "/good.png", http.StatusFound)
		case "/slow.png":
			<-r.Context().Done()
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	l := NewLinks(true)
	l.client.Transport = server.Client().Transport
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	addresses := []string{
		"", "a.png", "http://example.org/a.png", server.URL + "/good.png", server.URL + "/page",
		server.URL + "/moved.png", server.URL + "/none.png", server.URL + "/none.png",
	}
	want := fmt.Sprint([]string{
		"http://example.org/a.png (not https)", server.URL + "/page (not a picture)",
		server.URL + "/none.png (status 404)",
	})
	for range 2 {
		if got := fmt.Sprint(l.Failing(t.Context(), addresses)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if n := asked.Load(); n != 4 {
		t.Errorf("%d requests", n)
	}
	if got := l.Failing(ctx, []string{server.URL + "/slow.png"}); len(got) != 1 ||
		!strings.HasSuffix(got[0], "(cannot be reached)") {
		t.Errorf("%v", got)
	}
	var many []string
	for i := range 2 * maxLinks {
		many = append(many, fmt.Sprintf("%s/%d.png", server.URL, i))
	}
	if got := l.Failing(t.Context(), many); len(got) != maxLinks {
		t.Errorf("%d of %d", len(got), len(many))
	}
}

// TestPrivateLinks: nothing on this machine or in its networks is asked.
func TestPrivateLinks(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request,
	) {
		t.Error("a private address was asked")
	}))
	defer server.Close()
	l := NewLinks(false)
	if got := l.Failing(t.Context(), []string{server.URL + "/a.png"}); len(got) != 1 {
		t.Errorf("%v", got)
	}
	var none *Links
	if got := none.Failing(t.Context(), []string{server.URL}); got != nil {
		t.Errorf("%v", got)
	}
}

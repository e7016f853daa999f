package middleware_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"bestpick/internal/middleware"
)

// TestEvents: data of several lines is one event, whatever the lines say.
func TestEvents(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		out := middleware.NewEvents(w)
		defer out.End()
		for _, err := range []error{out.Send("a", 3, "one\r\n\nevent: b\n"), out.Beat(), out.Send("c", 0, "x")} {
			if err != nil {
				t.Error(err)
			}
		}
	}))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	if want := "id: 3\nevent: a\ndata: one\ndata: \ndata: event: b\n\n:\n\nevent: c\ndata: x\n\n"; err != nil ||
		string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
}

package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/wire"
)

// reply returns a client of a server with one fixed reply.
func reply(t *testing.T, status int, kind, text string) *client.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return &client.Client{URL: server.URL + "/"}
}

// TestErrors: a problem becomes one line, or one per error; other failures are named by their
// status.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		status     int
		text, want string
		kind       string
	}{
		{409, `{"type":"urn:bestpick:paused","title":"Conflict","status":409,"detail":"it is not open"}`, "it is not open", wire.StudyPaused},
		{422, `{"type":"urn:bestpick:invalid","status":422,"detail":"bad","errors":[{"location":"body.a","message":"one"},{"message":"two"}]}`, "body.a: one\ntwo", wire.Invalid},
		{500, `{"title":"Internal Server Error","status":500}`, "Internal Server Error", ""},
		{502, "<html>no</html>", "502 Bad Gateway", ""},
		{404, "", "404 Not Found", ""},
	} {
		_, err := reply(t, c.status, "application/problem+json", c.text).Study(t.Context(), "x")
		if err == nil || err.Error() != c.want || !client.Is(err, c.kind) || client.Is(err, wire.Enough) {
			t.Errorf("%s becomes %v, want %s", c.text, err, c.want)
		}
	}
	_, err := reply(t, 200, "text/html", "<html>").Study(t.Context(), "x")
	if err == nil || !strings.Contains(err.Error(), "decode the reply to GET /studies/x") {
		t.Errorf("a reply that is not JSON becomes %v", err)
	}
}

// TestEvents: comments are passed over, data may come in several lines, and with a problem the
// events end.
func TestEvents(t *testing.T) {
	stream := ": hello\n\nid: 1\nevent: verdict\ndata: {\"answers\":1}\n\n:\n\n" +
		"event: verdict\n: in between\ndata: {\ndata: \"answers\":2}\n\n" +
		"event: problem\ndata: {\"status\":404,\"detail\":\"gone\"}\n\nevent: verdict\ndata: {\"answers\":3}\n\n"
	var got []string
	for verdict, err := range reply(t, 200, "text/event-stream", stream).Events(t.Context(), "x") {
		got = append(got, fmt.Sprint(verdict.Answers, " ", err))
	}
	if want := "1 <nil>; 2 <nil>; 0 gone"; strings.Join(got, "; ") != want {
		t.Errorf("the events are %v, want %s", got, want)
	}
	for _, err := range reply(t, 200, "text/event-stream", "data: nonsense\n\n").Events(t.Context(), "x") {
		if err == nil {
			t.Error("an event that is no verdict is taken for one")
		}
	}
}

// TestEnded: a context that has ended ends everything.
func TestEnded(t *testing.T) {
	c := reply(t, 200, "application/json", "{}")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Verdict(ctx, "x"); err == nil {
		t.Error("there is a verdict")
	}
	for _, err := range c.Events(ctx, "x") {
		if err == nil {
			t.Error("there is an event")
		}
	}
}

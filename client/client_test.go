package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

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
		{
			409, `{"type":"urn:bestpick:paused","title":"Conflict","status":409,"detail":"it is not open"}`, "it is not open",
			wire.StudyPaused,
		},
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

// The example of the Standard Webhooks libraries.
const (
	exampleSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" //nolint:gosec // a published example
	exampleID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	exampleTime      = "1614265330"
	exampleBody      = `{"test": 2432232314}`
	exampleSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func headers(id, timestamp, signature string) http.Header {
	h := http.Header{}
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", timestamp)
	h.Set("Webhook-Signature", signature)
	return h
}

// TestVerifyWebhook checks the published example, and that every deviation from it is rejected.
func TestVerifyWebhook(t *testing.T) {
	at := time.Unix(1614265330, 0)
	for _, signature := range []string{exampleSignature, "v1,AAAA v2,x " + exampleSignature} {
		if err := client.VerifyWebhook(exampleSecret, headers(exampleID, exampleTime, signature), []byte(exampleBody),
			at.Add(time.Minute), time.Minute); err != nil {
			t.Errorf("%s: %v", signature, err)
		}
	}
	for name, bad := range map[string]struct {
		secret, body string
		header       http.Header
		after        time.Duration
	}{
		"secret":       {secret: exampleSecret[:len(exampleSecret)-4], header: headers(exampleID, exampleTime, exampleSignature)},
		"body":         {body: exampleBody + " ", header: headers(exampleID, exampleTime, exampleSignature)},
		"old":          {after: time.Minute + time.Second, header: headers(exampleID, exampleTime, exampleSignature)},
		"future":       {after: -time.Minute - time.Second, header: headers(exampleID, exampleTime, exampleSignature)},
		"ID":           {header: headers("msg_other", exampleTime, exampleSignature)},
		"timestamp":    {header: headers(exampleID, "1614265331", exampleSignature)},
		"no timestamp": {header: headers(exampleID, "", exampleSignature)},
		"none":         {header: headers(exampleID, exampleTime, "")},
		"empty":        {header: headers(exampleID, exampleTime, "v1,")},
		"no version":   {header: headers(exampleID, exampleTime, exampleSignature[3:])},
		"version 2":    {header: headers(exampleID, exampleTime, strings.Replace(exampleSignature, "v1", "v2", 1))},
		"no secret":    {secret: "whsec_", header: headers(exampleID, exampleTime, exampleSignature)},
		"no base64":    {secret: "whsec_not base64", header: headers(exampleID, exampleTime, exampleSignature)}, //nolint:gosec // no secret
		"shortened":    {header: headers(exampleID, exampleTime, exampleSignature[:len(exampleSignature)-4])},
	} {
		if bad.secret == "" {
			bad.secret = exampleSecret
		}
		if bad.body == "" {
			bad.body = exampleBody
		}
		if client.VerifyWebhook(bad.secret, bad.header, []byte(bad.body), at.Add(bad.after), time.Minute) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// FuzzVerifyWebhook checks that nothing but the signature of the body is accepted.
func FuzzVerifyWebhook(f *testing.F) {
	f.Add(exampleSignature)
	f.Add("v1,")
	f.Add("v1,AAAA v1, ,v2")
	f.Fuzz(func(t *testing.T, signature string) {
		err := client.VerifyWebhook(exampleSecret, headers(exampleID, exampleTime, signature), []byte(exampleBody),
			time.Unix(1614265330, 0), time.Minute)
		if err == nil && !strings.Contains(strings.NewReplacer("\r", "", "\n", "").Replace(signature),
			exampleSignature[:len(exampleSignature)-2]) {
			t.Errorf("%q is accepted", signature)
		}
	})
}

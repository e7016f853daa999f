package endtoend

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestDrain: after SIGTERM the process reports that it is stopping and still serves, on connections that it
// closes one by one. Event streams stay open until the drain is over. Then the process refuses connections
// and ends.
func TestDrain(t *testing.T) {
	const drain = 4 * time.Second
	p := start(t, sqliteFile(t), "", "--drain", drain.String())
	id := someArms(t, 6, 0.3, 2).newStudy(t, p.Client, wire.Settings{K: 3, Grace: -1})
	stream := events(t, p.Client, id)
	testsupport.Value(stream.Read(make([]byte, 1))).OrFail(t)
	idle := p.dial(t)
	if reply := roundTrip(t, idle, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); !strings.HasPrefix(reply, "HTTP/1.1 200 ") ||
		strings.Contains(reply, "Connection: close") {
		t.Errorf("before the drain: %s", reply)
	}
	began := time.Now()
	p.signal(t, syscall.SIGTERM)
	p.draining(t)
	if reply := roundTrip(t, idle, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); !strings.HasPrefix(reply, "HTTP/1.1 200 ") ||
		!strings.Contains(reply, "\r\nConnection: close\r\n") {
		t.Errorf("a connection that was open before the drain: %s", reply)
	}
	if _, err := idle.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection is not closed after the response: %v", err)
	}
	question, err := p.Ask(t.Context(), id, wire.Ask{Respondent: "anna"})
	if err == nil {
		err = p.Answer(t.Context(), id, question.Token, question.Arms[0].ID)
	}
	if err != nil {
		t.Errorf("during the drain: %v", err)
	}
	rest, err := io.ReadAll(stream) // until the server ends the stream
	if took := time.Since(began); err != nil || took < drain {
		t.Errorf("the event stream ended after %v with %v", took, err)
	}
	if !strings.Contains(string(rest), `"answers":1,`) {
		t.Errorf("the event stream did not go on during the drain: %s", rest)
	}
	if err := p.end(); err != nil {
		t.Errorf("the process ended with %v\n%s", err, p.log)
	}
	const soon = 15 * time.Second // half the timeout of requests in flight
	if took := time.Since(began); took < drain || took > drain+soon {
		t.Errorf("the process ended after %v", took)
	}
	if connection, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://")); err == nil { //nolint:noctx // it is refused at once
		_ = connection.Close()
		t.Error("the port is still open")
	}
}

// TestSecondSignal: a second signal ends the process during the drain.
func TestSecondSignal(t *testing.T) {
	p := start(t, sqliteFile(t), "", "--drain", "10m")
	p.signal(t, syscall.SIGTERM)
	p.draining(t)
	p.signal(t, syscall.SIGINT)
	exit, ok := errors.AsType[*exec.ExitError](p.end())
	if !ok {
		t.Fatal(exit)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT {
		t.Errorf("the process ended with %v", exit)
	}
}

// TestNoDrain: without --drain a signal closes the listener at once. A negative value is rejected.
func TestNoDrain(t *testing.T) {
	p := start(t, sqliteFile(t), "")
	p.signal(t, syscall.SIGINT)
	if err := p.end(); err != nil || strings.Contains(p.log.String(), "draining") {
		t.Errorf("%v\n%s", err, p.log)
	}
	out, err := exec.CommandContext(testsupport.Limited(t), program, "serve", "--drain=-1s").CombinedOutput()
	if exitStatus(err) != 2 || !strings.Contains(string(out), "--drain: expected a duration such as 30s, found \"-1s\"") {
		t.Errorf("%v, %s", err, out)
	}
}

// draining waits until the process reports that it is stopping.
func (s *process) draining(t *testing.T) {
	t.Helper()
	eventually(t, "/readyz says that it is stopping", 10*time.Second, func() bool {
		status, header, text := get(t, s.Client, "/readyz", "")
		return status == http.StatusServiceUnavailable && text == "stopping\n" && header.Get("X-Request-Id") != ""
	})
}

// events opens the event stream of a study.
func events(t *testing.T, c *client.Client, id string) io.Reader {
	t.Helper()
	request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet,
		c.URL+"/api/v1/studies/"+id+"/events", nil)
	testsupport.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+c.Token)
	reply, err := (&http.Client{Transport: c.HTTP.Transport}).Do(request) // without a timeout
	testsupport.NoError(t, err)
	t.Cleanup(func() { _ = reply.Body.Close() })
	if reply.StatusCode != http.StatusOK {
		t.Fatal(reply.Status)
	}
	return reply.Body
}

// roundTrip sends a request over a connection and returns the response.
func roundTrip(t *testing.T, connection net.Conn, request string) string {
	t.Helper()
	send(t, connection, request)
	buffer := make([]byte, 4096)
	n := testsupport.Value(connection.Read(buffer)).OrFail(t)
	return string(buffer[:n])
}

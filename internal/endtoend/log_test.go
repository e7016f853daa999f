package endtoend

import (
	"net/http"
	"strings"
	"testing"

	"bestpick/internal/testpostgres"
)

// TestFailuresAreSummedUp: when all requests fail, the log has a line per route and interval, not
// per request.
func TestFailuresAreSummedUp(t *testing.T) {
	const requests = 300
	at := postgresDatabase(t)
	p := start(t, at, "")
	at.server.Down(t, testpostgres.Immediate)
	for range requests {
		if status, _, _ := get(t, p.Client, "/readyz", ""); status != http.StatusServiceUnavailable {
			t.Fatalf("/readyz is %d", status)
		}
		if _, err := p.Studies(t.Context(), ""); err == nil {
			t.Fatal("a request succeeded without a database")
		}
	}
	at.server.Up(t)
	p.stop(t) // writes the last summary
	log := p.log.String()
	for _, route := range []string{"/readyz", "/api/v1/studies"} {
		const most = 20 // two per interval, and the test takes less than a minute
		if n := strings.Count(log, "msg=request method=GET route="+route+" status=503"); n < 2 || n > most {
			t.Errorf("the log has %d lines about %s", n, route)
		}
	}
	if !strings.Contains(log, " repeated=") {
		t.Error("no line has the number of failures")
	}
	if n := strings.Count(log, "\n"); n > requests/2 {
		t.Errorf("%d requests failed, the log has %d lines", 2*requests, n)
	}
}

// TestUntrustedProxy: a proxy that --trust does not name is logged once, and a trusted one is not.
func TestUntrustedProxy(t *testing.T) {
	for _, flags := range [][]string{nil, {"--trust", "127.0.0.1"}} {
		p := start(t, sqliteFile(t), "", flags...)
		for range 3 {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/healthz", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("X-Forwarded-For", "198.51.100.1")
			reply, err := p.HTTP.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = reply.Body.Close()
		}
		p.stop(t)
		if got, want := strings.Count(p.log.String(), "X-Forwarded-For from 127.0.0.1"), 1-len(flags)/2; got != want {
			t.Errorf("%q: %d warnings, want %d", flags, got, want)
		}
	}
}

package endtoend

import (
	"net/http"
	"strings"
	"testing"

	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestPages: the server serves the page of a study, which the configured origins may embed. Rate
// limits reply with a page to browsers, and with a problem to programs.
func TestPages(t *testing.T) {
	p := start(t, sqliteFile(t), "", "--frame", "https://shop.example", "--trust", "127.0.0.1", "--rate", "1")
	id := someArms(t, 6, 0.3, 2).newStudy(t, p.Client, wire.Settings{K: 3})
	from := func(address, path string) (int, http.Header) {
		t.Helper()
		r := testsupport.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+path, nil)).OrFail(t)
		r.Header.Set("X-Forwarded-For", address)
		reply, err := p.HTTP.Do(r)
		testsupport.NoError(t, err)
		testsupport.NoError(t, reply.Body.Close())
		return reply.StatusCode, reply.Header
	}
	status, header := from("192.0.2.7", "/s/"+id)
	if policy := header.Get("Content-Security-Policy"); status != http.StatusOK || !strings.Contains(policy, "frame-ancestors https://shop.example") {
		t.Errorf("%d %s", status, policy)
	}
	for path, kind := range map[string]string{"/s/" + id: "text/html", "/api/v1/studies": "application/problem+json"} {
		for range 20 {
			status, header = from("192.0.2.8", path)
		}
		if got := header.Get("Content-Type"); status != http.StatusTooManyRequests || !strings.HasPrefix(got, kind) || header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", path, status, got)
		}
	}
}

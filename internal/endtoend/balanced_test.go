package endtoend

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

func TestThroughNginx(t *testing.T)   { throughBalancer(t, nginx()) }
func TestThroughHAProxy(t *testing.T) { throughBalancer(t, haproxy()) }

// throughBalancer checks that a load balancer forwards large uploads, unbuffered events, the Host
// header and the client's address.
func throughBalancer(t *testing.T, front balancer) {
	t.Helper()
	front.path(t)
	p := start(t, sqliteFile(t), "", "--secure")
	address := strings.TrimPrefix(p.URL, "http://")
	c := front.start(t, [2]string{address, address})
	c.Token = p.Token
	var file strings.Builder
	file.WriteString("id,x\n")
	for i := range 4000 {
		fmt.Fprintf(&file, "a%d,%d.%0300d\n", i, i%7, 0)
	}
	created, err := c.Create(t.Context(), client.NewStudy{
		Name: "Arms", Settings: wire.Settings{K: 3}, Catalogue: client.File{Name: "arms.csv", Contents: strings.NewReader(file.String())},
	})
	if err != nil {
		t.Fatalf("uploading %d kB: %v", file.Len()>>10, err)
	}
	if _, err := events(t, c, created.Study.ID).Read(make([]byte, 1)); err != nil {
		t.Errorf("the first event: %v", err)
	}
	for origin, want := range map[string]int{c.URL: http.StatusUnauthorized, "https://elsewhere.example": http.StatusForbidden} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.URL+"/sign-in", strings.NewReader(url.Values{"token": {"wrong"}}.Encode()))
		testsupport.NoError(t, err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", origin)
		reply, err := c.HTTP.Do(request)
		testsupport.NoError(t, err)
		_ = reply.Body.Close()
		if reply.StatusCode != want || reply.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("signing in from a page of %s: %s %v", origin, reply.Status, reply.Header)
		}
	}
	if log := p.log.String(); !strings.Contains(log, "X-Forwarded-For from 127.0.0.1, which --trust does not name") {
		t.Errorf("the balancer does not forward the client's address:\n%s", log)
	}
}

func TestRepeatedByNginx(t *testing.T)   { repeatedByBalancer(t, nginx()) }
func TestRepeatedByHAProxy(t *testing.T) { repeatedByBalancer(t, haproxy()) }

// repeatedByBalancer breaks the connection of each first request. The balancer must retry
// idempotent requests, and no others.
func repeatedByBalancer(t *testing.T, front balancer) {
	t.Helper()
	front.path(t)
	var mutex sync.Mutex
	seen := map[string]int{}
	replica := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // the body does not matter
		mutex.Lock()
		seen[r.Method+" "+r.URL.Path]++
		first := seen[r.Method+" "+r.URL.Path] == 1
		mutex.Unlock()
		if first {
			panic(http.ErrAbortHandler)
		}
	}))
	defer replica.Close()
	address := strings.TrimPrefix(replica.URL, "http://")
	c := front.start(t, [2]string{address, address})
	const study = "/api/v1/studies/abc"
	for request, repeated := range map[string]bool{
		"GET /": true, "GET " + study: true, "POST " + study + "/questions": true, "POST " + study + "/answers": true, "POST " + study + "/skips": true,
		"POST " + study + "/undos": true, "POST /s/abc/answer": true, "POST /s/abc/question": true,
		"POST /api/v1/studies": false, "POST " + study + "/import": false, "POST " + study + "/erasures": false, "POST /new": false, "POST /sign-in": false,
		"PATCH " + study: false,
	} {
		method, path, _ := strings.Cut(request, " ")
		sent, err := http.NewRequestWithContext(t.Context(), method, c.URL+path, strings.NewReader("{}"))
		testsupport.NoError(t, err)
		sent.GetBody = nil // so that the client does not retry
		succeeded := false
		if reply, err := c.HTTP.Do(sent); err == nil {
			succeeded = reply.StatusCode == http.StatusOK
			_ = reply.Body.Close()
		}
		mutex.Lock()
		times := seen[request]
		mutex.Unlock()
		if succeeded != repeated || (times > 1) != repeated {
			t.Errorf("%s: replicas received it %d times, success is %v", request, times, succeeded)
		}
	}
}

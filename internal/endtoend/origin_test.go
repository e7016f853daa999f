package endtoend

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"bestpick/wire"
)

// TestOtherSites: cross-origin requests of a browser change nothing, over TLS and behind a proxy
// that changes the Host header. Requests of our pages and of programs do.
func TestOtherSites(t *testing.T) {
	certificate, key, roots := selfSigned(t)
	p := start(t, sqliteFile(t), "", "--tls-cert", certificate, "--tls-key", key, "--trust", "127.0.0.1", "--frame", "https://shop.example")
	p.HTTP = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	for _, test := range []struct {
		what    string
		headers map[string]string
		status  int
		kind    string
	}{
		{"a program", nil, 404, wire.NotFound},
		{"our own page", map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": p.URL}, 404, wire.NotFound},
		{"our own page in an old browser", map[string]string{"Origin": p.URL}, 404, wire.NotFound},
		{"our own page at a proxy", map[string]string{"Origin": "https://pick.example", "X-Forwarded-Host": "pick.example"}, 404, wire.NotFound},
		{"another site", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, 403, wire.CrossOrigin},
		{"another site at a proxy", map[string]string{"Origin": "https://evil.example", "X-Forwarded-Host": "pick.example"}, 403, wire.CrossOrigin},
		{"the page around the frame", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://shop.example"}, 403, wire.CrossOrigin},
		{"a token", map[string]string{"Sec-Fetch-Site": "cross-site", "Authorization": "Bearer " + p.Token}, 404, wire.NotFound},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/api/v1/studies/none/questions", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range test.headers {
			r.Header.Set(name, value)
		}
		reply, err := p.HTTP.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var problem wire.Problem
		err = json.NewDecoder(reply.Body).Decode(&problem)
		_ = reply.Body.Close()
		if err != nil || reply.StatusCode != test.status || problem.Type != test.kind || problem.Status != test.status || reply.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %+v, %v", test.what, reply.StatusCode, problem, err)
		}
	}
	p.stop(t)
}

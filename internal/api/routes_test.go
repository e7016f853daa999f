package api_test

import (
	"net/http"
	"strings"
	"testing"

	"bestpick/wire"
)

// TestRoutes: unknown paths and methods are reported as problems.
func TestRoutes(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{http.MethodGet, "//", 404, ""},
		{http.MethodGet, "//api/v2/studies", 404, ""},
		{http.MethodGet, "/nothing", 404, ""},
		{http.MethodGet, "/studies/", 404, ""},
		{http.MethodGet, "/studies/" + study.ID + "/", 404, ""},
		{http.MethodPost, "/studies/" + study.ID + "/answers/", 404, ""},
		{http.MethodGet, "//docs/", 404, ""},
		{http.MethodGet, "/openapi-3.0.json", 404, ""},
		{http.MethodPut, "/studies", 405, "GET, HEAD, POST"},
		{http.MethodPost, "/studies/" + study.ID, 405, "DELETE, GET, HEAD, PATCH"},
		{http.MethodGet, "/studies/" + study.ID + "/answers", 405, "POST"},
		{http.MethodOptions, "/studies", 405, "GET, HEAD, POST"},
		{http.MethodDelete, "//docs", 405, "GET, HEAD"},
	} {
		reply := s.send(sent{token: s.owner.Token, method: c.method, path: c.path})
		if reply.status != c.status || reply.header.Get("Allow") != c.allow || reply.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d, allowed are %q, want %d and %q", c.method, c.path, reply.status, reply.header.Get("Allow"), c.status, c.allow)
		}
	}
}

// TestHead: HEAD is GET without a body, with the same access rules.
func TestHead(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for path, status := range map[string]int{"": 200, "/verdict": 200, "/arms": 200, "/open": 405} {
		got := s.send(sent{token: s.viewer.Token, method: http.MethodHead, path: "/studies/" + study.ID + path})
		if got.status != status || got.text != "" {
			t.Errorf("HEAD %s: %d %q", path, got.status, got.text)
		}
	}
	read := s.send(sent{token: s.viewer.Token, method: http.MethodHead, path: "/studies/" + study.ID})
	if read.header.Get("ETag") != `"1"` {
		t.Errorf("the ETag is %s", read.header.Get("ETag"))
	}
	if got := s.send(sent{method: http.MethodHead, path: "/studies/" + study.ID}); got.status != 401 {
		t.Errorf("HEAD without a token: %d", got.status)
	}
}

// TestReplies: replies are JSON whatever the client accepts, contain no undocumented fields, and
// are not cached.
func TestReplies(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for _, accept := range []string{"", "*/*", "text/html", "application/cbor", "application/json;q=0.1", "application/problem+json", "nonsense"} {
		reply := s.send(sent{token: s.owner.Token, method: http.MethodGet, path: "/studies/" + study.ID, headers: []string{"Accept", accept}})
		if reply.status != 200 || reply.header.Get("Content-Type") != "application/json" {
			t.Errorf("Accept: %q: %d %s", accept, reply.status, reply.header.Get("Content-Type"))
		}
		if reply.header.Get("Cache-Control") != "no-store" || reply.header.Get("X-Content-Type-Options") != "nosniff" || reply.header.Get("Link") != "" {
			t.Errorf("the headers are %v", reply.header)
		}
		if strings.Contains(reply.text, "$schema") || strings.Contains(reply.text, "null") {
			t.Errorf("the reply is %s", reply.text)
		}
	}
	created := s.send(s.formed(sent{token: s.owner.Token, method: http.MethodPost, path: "/studies"}, part{"name", "", "x"}, part{"catalogue", "fruits.csv", fruits}))
	var body wire.Created
	s.must(created.read(&body))
	if created.status != 201 || created.header.Get("Location") != "/api/v1/studies/"+body.Study.ID || created.header.Get("ETag") != `"1"` {
		t.Errorf("created: %d %v", created.status, created.header)
	}
}

// TestLenience: content types with +json are accepted.
func TestLenience(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for _, kind := range []string{"", "application/json", "application/json; charset=UTF-8", "application/merge-patch+json"} {
		reply := s.send(sent{
			token: s.owner.Token, method: http.MethodPatch, path: "/studies/" + study.ID, kind: kind, headers: []string{"If-Match", "*"},
			body: ` {"name":"Ünïcode 🍒","settings":{"k":4,"budget":100,"seed":9007199254740991}} `,
		})
		var after wire.Study
		s.must(reply.read(&after))
		if reply.status != 200 || after.Settings.K != 4 || after.Settings.Budget != 100 || after.Settings.Seed != 9007199254740991 || after.Name != "Ünïcode 🍒" {
			t.Errorf("%q: %d %s", kind, reply.status, reply.text)
		}
	}
}

package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bestpick/internal/api"
	"bestpick/internal/middleware"
	"bestpick/wire"
)

// TestRateLimit: replies to respondents say what is left of their rate limit, until it is exceeded.
// It applies to each respondent separately.
func TestRateLimit(t *testing.T) {
	s := begin(t, setting{limiter: middleware.NewLimiter(0.001, 3)})
	study := s.open(quick())
	s.eventually("questions are planned, so that no request has to be repeated", func() bool {
		return s.verdict(study.ID).Plan > 0
	})
	q := s.ask(study.ID, "anna")
	reply := s.send(sent{method: http.MethodPost, path: "/studies/" + study.ID + "/answers", kind: "application/json", body: `{"token":"` + q.Token + `","picks":["` + q.Arms[0].ID + `"],"next":true}`})
	if got := reply.header.Get("Ratelimit"); reply.status != 200 || !strings.HasPrefix(got, `"respondent";r=1;t=`) || reply.header.Get("Ratelimit-Policy") != `"respondent";q=3;w=3000` {
		t.Errorf("%d %v", reply.status, reply.header)
	}
	var last raw
	for range 3 {
		last = s.send(sent{method: http.MethodPost, path: "/studies/" + study.ID + "/questions", kind: "application/json", body: `{"respondent":"anna"}`})
	}
	var problem wire.Problem
	s.must(last.read(&problem))
	if last.status != 429 || problem.Type != wire.TooMany || !strings.HasPrefix(last.header.Get("Ratelimit"), `"respondent";r=0;t=`) || last.header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", last.status, last.header, last.text)
	}
	s.ask(study.ID, "ben")
}

// TestTooMany: Retry-After is in whole seconds, and at least 1.
func TestTooMany(t *testing.T) {
	w := httptest.NewRecorder()
	api.TooMany(w, 1200*time.Millisecond)
	if w.Code != 429 || w.Header().Get("Retry-After") != "2" || w.Header().Get("Content-Type") != "application/problem+json" || !strings.Contains(w.Body.String(), wire.TooMany) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

package api_test

import (
	"net/http"
	"strings"
	"testing"

	"bestpick/internal/middleware"
	"bestpick/wire"
)

// TestRateLimitHeaders: replies to respondents say what is left of their rate limit, until it is
// exceeded.
func TestRateLimitHeaders(t *testing.T) {
	s := begin(t, setting{limiter: middleware.NewLimiter(0.001, 3)})
	study := s.open(quick())
	s.eventually("questions are planned, so that no request has to be repeated", func() bool {
		verdict, err := s.owner.Verdict(t.Context(), study.ID)
		s.must(err)
		return verdict.Plan > 0
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
}

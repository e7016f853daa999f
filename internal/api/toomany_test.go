package api_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bestpick/internal/api"
	"bestpick/internal/middleware"
	"bestpick/wire"
)

// TestTooManyQuestions: the rate limit applies to each respondent separately.
func TestTooManyQuestions(t *testing.T) {
	s := begin(t, setting{patience: time.Minute, limiter: middleware.NewLimiter(0.001, 2)})
	study := s.open(slow())
	s.ask(study.ID, "anna")
	s.ask(study.ID, "anna")
	_, err := s.respondent.Ask(t.Context(), study.ID, wire.Ask{Respondent: "anna"})
	s.refused(err, 429, wire.TooMany, "")
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

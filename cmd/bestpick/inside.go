package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"bestpick/access"
	"bestpick/metrics"
	"bestpick/study"
)

// inside serves what those see who run the service: whether it lives, whether it is ready, and what it
// counts, for whoever has a token.
func (s *server) inside(mux *http.ServeMux, closing context.Context) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		const soon = 2 * time.Second
		ctx, cancel := context.WithTimeout(r.Context(), soon)
		defer cancel()
		if _, err := s.store.List(ctx, "", 1); err != nil { //nolint:contextcheck // it is that of the request
			s.log.Warn("not ready", "error", err)
			say(w, http.StatusServiceUnavailable, "the database does not answer")
			return
		}
		if closing.Err() != nil {
			say(w, http.StatusServiceUnavailable, "stopping")
			return
		}
		say(w, http.StatusOK, "ready")
	})
	counted := s.metrics.Handler()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		_, err := s.store.Token(r.Context(), access.Hash(secret))
		switch {
		case errors.Is(err, access.ErrUnknown):
			w.Header().Set("WWW-Authenticate", `Bearer realm="bestpick"`)
			say(w, http.StatusUnauthorized, "this needs the token of an owner or a viewer")
		case err != nil:
			say(w, http.StatusServiceUnavailable, "the database does not answer")
		default:
			counted.ServeHTTP(w, r)
		}
	})
}

// say replies with a line.
func say(w http.ResponseWriter, status int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(line + "\n")) // whoever asked has gone
}

// A timedStore measures how long the store takes for what respondents and planners wait for.
type timedStore struct {
	study.Store

	metrics *metrics.Metrics
}

func (t timedStore) Record(ctx context.Context, id string, outcomes ...study.Outcome) ([]error, error) {
	defer t.took("record", time.Now())
	return t.Store.Record(ctx, id, outcomes...)
}

func (t timedStore) Claim(ctx context.Context, id string, n int, now time.Time) (study.Claim, error) {
	defer t.took("claim", time.Now())
	return t.Store.Claim(ctx, id, n, now)
}

func (t timedStore) Append(ctx context.Context, id, planner string, p study.Plan) error {
	defer t.took("append", time.Now())
	return t.Store.Append(ctx, id, planner, p)
}

func (t timedStore) took(operation string, begin time.Time) {
	t.metrics.Stored(operation, time.Since(begin))
}

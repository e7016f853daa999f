package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"bestpick/access"
	"bestpick/guard"
)

// inside is what those see who run the service, by its pattern: whether it lives, whether it is ready, and what it
// counts, for whoever has a token.
func (s *server) inside(closing context.Context) map[string]http.HandlerFunc {
	counted := s.metrics.Handler()
	return map[string]http.HandlerFunc{
		"GET /healthz": func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "alive") },
		"GET /readyz":  func(w http.ResponseWriter, r *http.Request) { s.ready(w, r, closing) },
		"GET /metrics": func(w http.ResponseWriter, r *http.Request) { s.withToken(w, r, counted) },
	}
}

// ready reports whether this process can serve requests: it probes the database, and nothing else.
func (s *server) ready(w http.ResponseWriter, r *http.Request, closing context.Context) {
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
}

// withToken lets whoever shows a token see something, whatever its role.
func (s *server) withToken(w http.ResponseWriter, r *http.Request, next http.Handler) {
	err := access.ErrUnknown
	if secret := guard.Bearer(r.Header.Get("Authorization")); secret != "" {
		_, err = s.store.Token(r.Context(), access.Hash(secret))
	}
	switch {
	case errors.Is(err, access.ErrUnknown):
		w.Header().Set("WWW-Authenticate", `Bearer realm="bestpick"`)
		say(w, http.StatusUnauthorized, "this needs the token of an owner or a viewer")
	case err != nil:
		say(w, http.StatusServiceUnavailable, "the database does not answer")
	default:
		next.ServeHTTP(w, r)
	}
}

// say replies with a line.
func say(w http.ResponseWriter, status int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(line + "\n")) // whoever asked has gone
}

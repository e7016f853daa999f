package serve

import (
	"context"
	"errors"
	"net/http"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
)

// admin returns the handlers for operators by pattern: liveness, readiness, and, with a token, metrics.
func (s *Service) admin() map[string]http.HandlerFunc {
	counted := s.metrics.Handler()
	measured := func(w http.ResponseWriter, r *http.Request) {
		if b, err := s.store.Backlog(r.Context()); err == nil { // an outage has metrics of its own
			s.metrics.Backlog(b.Done, b.Others, b.Due)
		}
		counted.ServeHTTP(w, r)
	}
	alive := func(w http.ResponseWriter, _ *http.Request) { writeLine(w, http.StatusOK, "alive") }
	return map[string]http.HandlerFunc{
		"GET /healthz": alive,
		"GET /livez":   alive,
		"GET /readyz":  s.ready,
		"GET /metrics": func(w http.ResponseWriter, r *http.Request) { s.withToken(w, r, http.HandlerFunc(measured)) },
	}
}

// ready is the readiness probe for load balancers. It checks the database.
func (s *Service) ready(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		writeLine(w, http.StatusServiceUnavailable, "stopping")
		return
	}
	const soon = 2 * time.Second
	ctx, cancel := context.WithTimeout(r.Context(), soon)
	defer cancel()
	if _, err := s.store.List(ctx, "", 1); err != nil {
		s.Log.Warn("not ready", "error", err)
		writeLine(w, http.StatusServiceUnavailable, "the database does not answer")
		return
	}
	writeLine(w, http.StatusOK, "ready")
}

// withToken serves requests with a valid token of any role, unless it is restricted to a study.
func (s *Service) withToken(w http.ResponseWriter, r *http.Request, next http.Handler) {
	token, err := access.Token{}, access.ErrUnknown
	if secret := middleware.Bearer(r.Header.Get("Authorization")); secret != "" {
		token, err = s.store.Token(r.Context(), access.Hash(secret))
	}
	switch {
	case err == nil && token.Study != "":
		writeLine(w, http.StatusForbidden, "this token allows one study only")
	case errors.Is(err, access.ErrUnknown):
		w.Header().Set("WWW-Authenticate", `Bearer realm="bestpick"`)
		writeLine(w, http.StatusUnauthorized, "this needs the token of an owner or a viewer")
	case err != nil:
		writeLine(w, http.StatusServiceUnavailable, "the database does not answer")
	default:
		next.ServeHTTP(w, r)
	}
}

// writeLine replies with one line of text.
func writeLine(w http.ResponseWriter, status int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(line + "\n")) // the client has gone
}

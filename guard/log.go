package guard

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"
	"time"
)

type requestKey struct{}

var requestName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// RequestOf returns the id of the request of a context.
func RequestOf(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// Log gives every request an id, that of X-Request-Id if it has a sensible one, and logs what became of it:
// method, route and status, and how long it took. What may be secret is not logged: no query, no header,
// no body, and the route instead of the path, which has the ids of studies in it.
func Log(log *slog.Logger, route func(*http.Request) string) Layer {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := r.Header.Get("X-Request-Id")
			if !requestName.MatchString(id) {
				id = rand.Text()
			}
			w.Header().Set("X-Request-Id", id)
			ctx := context.WithValue(r.Context(), requestKey{}, id)
			watched := &watchedWriter{ResponseWriter: w, status: http.StatusOK}
			begin := time.Now()
			next.ServeHTTP(watched, r.WithContext(ctx))
			log.LogAttrs(ctx, levelOf(watched.status), "request", slog.String("method", r.Method), slog.String("route", route(r)),
				slog.Int("status", watched.status), slog.Duration("took", time.Since(begin)), slog.String("request", id), slog.String("from", AddressOf(ctx).String()))
		})
	}
}

func levelOf(status int) slog.Level {
	if status >= http.StatusInternalServerError {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// A watchedWriter remembers the status.
type watchedWriter struct {
	http.ResponseWriter

	status int
}

func (w *watchedWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets others flush and set deadlines.
func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

package middleware

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"time"
)

type requestKey struct{}

var requestName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// RequestOf returns the ID of the request of a context.
func RequestOf(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// Log assigns an ID to every request, from X-Request-Id if that is valid, and logs method, route, status and duration.
// It logs nothing that may be secret: no query, header or body, and the route instead of the path, which contains IDs
// of studies. It calls count with the same values.
func Log(log *slog.Logger, count func(method, route string, status int, took time.Duration)) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id := r.Header.Get("X-Request-Id")
			if !requestName.MatchString(id) {
				id = rand.Text()
			}
			w.Header().Set("X-Request-Id", id)
			ctx := context.WithValue(r.Context(), requestKey{}, id)
			watched := Watch(w)
			begin := time.Now()
			r = r.WithContext(ctx)
			next.ServeHTTP(watched, r)
			route, took, status := RouteOf(r), time.Since(begin), watched.Status
			if status >= http.StatusInternalServerError && ctx.Err() != nil {
				status = gone
			}
			count(r.Method, route, status, took)
			log.LogAttrs(ctx, levelOf(status), "request", slog.String("method", r.Method), slog.String("route", route),
				slog.Int("status", status), slog.Duration("took", took), slog.String("request", id), slog.String("from", AddressOf(ctx).String()))
		})
	}
}

// gone is the status, in log and metrics only, of requests that failed because the client disconnected.
const gone = 499

// RouteOf returns the pattern that matched a request, without its method.
func RouteOf(r *http.Request) string {
	_, path, found := strings.Cut(r.Pattern, " ")
	switch {
	case found:
		return path
	case r.Pattern == "":
		return "none"
	}
	return r.Pattern
}

func levelOf(status int) slog.Level {
	if status >= http.StatusInternalServerError {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

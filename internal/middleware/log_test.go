package middleware

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// TestGoneAfterAll: requests that finish before the client leaves keep their status.
func TestGoneAfterAll(t *testing.T) {
	var counted []int
	want := []int{http.StatusOK, http.StatusSeeOther, http.StatusNotFound, http.StatusTooManyRequests}
	for _, status := range want {
		ctx, leave := context.WithCancel(t.Context())
		handler := Log(slog.New(slog.DiscardHandler), func(_, _ string, status int, _ time.Duration) { counted = append(counted, status) })(
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				leave()
			}))
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
	}
	if !slices.Equal(counted, want) {
		t.Errorf("counted %v, want %v", counted, want)
	}
}

package middleware

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestWatch: the status is that which is sent, or 200, and what is below can still be reached, such as to flush.
func TestWatch(t *testing.T) {
	below := httptest.NewRecorder()
	watched := Watch(below)
	if watched.Status != http.StatusOK {
		t.Errorf("before anything is sent the status is %d", watched.Status)
	}
	watched.WriteHeader(http.StatusTeapot)
	if err := http.NewResponseController(watched).Flush(); err != nil || !below.Flushed || below.Code != http.StatusTeapot || watched.Status != http.StatusTeapot {
		t.Errorf("flushed %v (%v), %d was sent, %d is remembered", below.Flushed, err, below.Code, watched.Status)
	}
}

package server

import (
	"context"
	"net/http"
	"time"
)

// shutDown drains, ends the event streams, closes the listener, and waits for the requests in flight.
func (s *Server) shutDown(ctx context.Context) error {
	s.stopping.Store(true)
	if s.Drain > 0 {
		s.Log.Info("draining", "for", s.Drain)
		time.Sleep(s.Drain)
	}
	s.Log.Info("stopping")
	s.closing()
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	return s.http.Shutdown(ctx)
}

// closeConnections closes each connection after its next response during the drain, so that proxies
// return no connection to their pools that is about to be closed. It does not close idle
// connections: a proxy might be sending a request on one of them.
func (s *Server) closeConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

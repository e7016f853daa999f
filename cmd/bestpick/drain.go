package main

import (
	"context"
	"net/http"
	"time"
)

// shutDown drains, ends the event streams, closes the listener, and waits for the requests in flight.
func (s *server) shutDown(ctx context.Context) error {
	s.stopping.Store(true)
	if s.drain > 0 {
		s.log.Info("draining", "for", s.drain)
		time.Sleep(s.drain)
	}
	s.log.Info("stopping")
	s.closing()
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	return s.http.Shutdown(ctx)
}

// closeConnections closes each connection after its next response during the drain, so that proxies
// return no connection to their pools that is about to be closed. It does not close idle
// connections: a proxy might be sending a request on one of them.
func (s *server) closeConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

package server

import (
	"context"
	"time"
)

// shutDown drains, closes the listener, ends the event streams, and waits for the requests in flight.
func (s *Server) shutDown(ctx context.Context) error {
	s.Service.Drain()
	if s.Drain > 0 {
		s.Log.Info("draining", "for", s.Drain)
		time.Sleep(s.Drain)
	}
	s.Log.Info("stopping")
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	return s.http.Shutdown(ctx)
}

package serve

import "net/http"

// Drain prepares the end of the process: /readyz replies with 503, so that load balancers choose other
// replicas, and each connection closes after its next response, so that proxies return no connection to
// their pools that is about to be closed. It does not close idle connections: a proxy might be sending a
// request on one of them.
func (s *Service) Drain() { s.draining.Store(true) }

// EndStreams ends the event streams, which a graceful shutdown would wait for. Pass it to
// [http.Server.RegisterOnShutdown].
func (s *Service) EndStreams() { s.end() }

// closeConnections closes connections during the drain.
func (s *Service) closeConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

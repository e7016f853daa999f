// Package middleware is the HTTP middleware of the service: client addresses behind proxies, rate limits, deadlines,
// security headers, protection against cross-origin requests, and request IDs in the log.
package middleware

import (
	"net/http"
	"slices"
)

// A Middleware wraps a handler.
type Middleware func(http.Handler) http.Handler

// Chain wraps a handler in middleware, the first outermost.
func Chain(handler http.Handler, chain ...Middleware) http.Handler {
	for _, middleware := range slices.Backward(chain) {
		handler = middleware(handler)
	}
	return handler
}

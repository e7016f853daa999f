// Package guard is the HTTP middleware of the service: client addresses, rate limits, timeouts, security
// headers, cross-origin protection, request ids and request logs.
package guard

import (
	"net/http"
	"slices"
)

// A Layer is a middleware: it wraps a handler.
type Layer func(http.Handler) http.Handler

// Around wraps a handler in layers, the first outermost.
func Around(handler http.Handler, layers ...Layer) http.Handler {
	for _, layer := range slices.Backward(layers) {
		handler = layer(handler)
	}
	return handler
}

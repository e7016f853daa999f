// Package guard stands between the network and the handlers of a service: it says who is calling, how
// often they may and how long they may take, what browsers may do with a page and for pages of others, and
// which request a line of the log is about.
package guard

import (
	"net/http"
	"slices"
)

// A Layer is put around a handler.
type Layer func(http.Handler) http.Handler

// Around puts layers around a handler, the first outermost.
func Around(handler http.Handler, layers ...Layer) http.Handler {
	for _, layer := range slices.Backward(layers) {
		handler = layer(handler)
	}
	return handler
}

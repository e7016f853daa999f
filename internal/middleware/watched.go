package middleware

import "net/http"

// Watched is a ResponseWriter that records the status of the reply.
type Watched struct {
	http.ResponseWriter

	Status int
}

// Watch wraps a ResponseWriter.
func Watch(w http.ResponseWriter) *Watched { return &Watched{w, http.StatusOK} }

// WriteHeader records the status and sends it.
func (w *Watched) WriteHeader(status int) {
	w.Status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap supports http.ResponseController.
func (w *Watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

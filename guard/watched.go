package guard

import "net/http"

// A Watched writer remembers the status of a reply.
type Watched struct {
	http.ResponseWriter

	Status int
}

// Watch returns a writer that remembers what it is told.
func Watch(w http.ResponseWriter) *Watched { return &Watched{w, http.StatusOK} }

// WriteHeader remembers the status, and sends it.
func (w *Watched) WriteHeader(status int) {
	w.Status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets others flush and set deadlines.
func (w *Watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

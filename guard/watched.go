package guard

import "net/http"

// A Watched writer records the status of a reply.
type Watched struct {
	http.ResponseWriter

	Status int
}

// Watch returns a writer that records the status. The status is 200 until the handler sets another one.
func Watch(w http.ResponseWriter) *Watched { return &Watched{w, http.StatusOK} }

// WriteHeader records and sends the status.
func (w *Watched) WriteHeader(status int) {
	w.Status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap supports [http.ResponseController].
func (w *Watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

package guard

import (
	"net/http"
	"time"
)

// Deadlines keeps those who are slow, or have gone without a word, from holding a connection for ever. What is sent
// with a request must come within a time, unless the handler sets another deadline; and of the reply some part must
// be taken within another, again and again, however long the whole takes.
func Deadlines(read, write time.Duration) Layer {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			if r.ContentLength != 0 { // otherwise nothing follows, and there is no need to wait for it
				_ = control.SetReadDeadline(time.Now().Add(read)) // where that cannot be done there is no connection
			}
			prolonged := &prolongedWriter{ResponseWriter: w, control: control, most: write}
			prolonged.prolong()
			next.ServeHTTP(prolonged, r)
			prolonged.prolong() // for what is still to be sent
		})
	}
}

// A prolongedWriter moves the deadline with what is written.
type prolongedWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	most    time.Duration
	since   time.Time // when the deadline was set
	own     bool      // the handler sets it
}

// prolong sets the deadline anew, unless that was just now.
func (w *prolongedWriter) prolong() {
	const often = 10
	now := time.Now()
	if !w.own && now.Sub(w.since) > w.most/often {
		w.since = now
		_ = w.control.SetWriteDeadline(now.Add(w.most)) // where that cannot be done there is no connection
	}
}

// Write writes a part at a time, for each of which there is time.
func (w *prolongedWriter) Write(text []byte) (written int, err error) {
	const part = 64 << 10
	for {
		w.prolong()
		n, err := w.ResponseWriter.Write(text[:min(part, len(text))])
		written += n
		if text = text[n:]; err != nil || len(text) == 0 {
			return written, err
		}
	}
}

// SetWriteDeadline lets the handler set deadlines itself, until it sets none.
func (w *prolongedWriter) SetWriteDeadline(deadline time.Time) error {
	w.own, w.since = !deadline.IsZero(), time.Time{}
	if w.own {
		return w.control.SetWriteDeadline(deadline)
	}
	w.prolong()
	return nil
}

// Unwrap lets others flush and set deadlines.
func (w *prolongedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

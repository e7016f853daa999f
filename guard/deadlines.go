package guard

import (
	"net/http"
	"time"
)

// Deadlines closes connections whose peer is slow or gone. The request body must arrive within the read
// timeout, unless the handler sets another deadline. Each part of the reply must be accepted within the
// write timeout; the whole reply may take longer.
func Deadlines(read, write time.Duration) Layer {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			if r.ContentLength != 0 { // otherwise there is no body to wait for
				_ = control.SetReadDeadline(time.Now().Add(read)) // unsupported only without a connection, as in tests
			}
			prolonged := &prolongedWriter{ResponseWriter: w, control: control, most: write}
			prolonged.prolong()
			next.ServeHTTP(prolonged, r)
			prolonged.prolong() // for buffered data
		})
	}
}

// A prolongedWriter extends the write deadline with each part of the reply.
type prolongedWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	most    time.Duration
	since   time.Time // when the deadline was set
	own     bool      // the handler sets the deadline
}

// prolong extends the deadline, unless it was extended just before.
func (w *prolongedWriter) prolong() {
	const often = 10
	now := time.Now()
	if !w.own && now.Sub(w.since) > w.most/often {
		w.since = now
		_ = w.control.SetWriteDeadline(now.Add(w.most)) // unsupported only without a connection, as in tests
	}
}

// Write writes the text in parts, and extends the deadline before each one.
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

// SetWriteDeadline sets the deadline of the handler. The zero time returns to automatic deadlines.
func (w *prolongedWriter) SetWriteDeadline(deadline time.Time) error {
	w.own, w.since = !deadline.IsZero(), time.Time{}
	if w.own {
		return w.control.SetWriteDeadline(deadline)
	}
	w.prolong()
	return nil
}

// Unwrap supports [http.ResponseController].
func (w *prolongedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

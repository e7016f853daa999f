package middleware

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Deadlines closes connections whose peer is slow or gone. The request body must arrive within read, unless the
// handler sets another deadline; no handler can remove the deadline of a body that has not arrived. The peer must
// take the next part of the reply within write, however long the whole reply takes.
func Deadlines(read, write time.Duration) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			prolonged := &prolongedWriter{ResponseWriter: w, control: control, most: write}
			if r.ContentLength != 0 {
				prolonged.body = &timedBody{ReadCloser: r.Body, control: control}
				r.Body = prolonged.body
				_ = prolonged.SetReadDeadline(time.Now().Add(read)) // fails only without a connection
			}
			prolonged.prolong()
			next.ServeHTTP(prolonged, r)
			prolonged.prolong() // for buffered data
		})
	}
}

// A timedBody removes the read deadline of its connection when the body has arrived. After an error it stays, because
// the server reads what is left of the body after the handler has returned.
type timedBody struct {
	io.ReadCloser

	control *http.ResponseController
	arrived bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) && !b.arrived {
		b.arrived = true
		_ = b.control.SetReadDeadline(time.Time{}) // fails only without a connection
	}
	return n, err
}

// A prolongedWriter extends the write deadline with every part that it writes.
type prolongedWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	body    *timedBody // nil if the request has none
	most    time.Duration
	since   time.Time // when the deadline was set
	own     bool      // the handler sets the deadline
}

// prolong extends the deadline, unless it did so just before.
func (w *prolongedWriter) prolong() {
	const often = 10
	now := time.Now()
	if !w.own && now.Sub(w.since) > w.most/often {
		w.since = now
		_ = w.control.SetWriteDeadline(now.Add(w.most)) // fails only without a connection
	}
}

// Write writes in parts, and extends the deadline for each.
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

// SetWriteDeadline lets the handler set its own deadlines, until it sets the zero time.
func (w *prolongedWriter) SetWriteDeadline(deadline time.Time) error {
	w.own, w.since = !deadline.IsZero(), time.Time{}
	if w.own {
		return w.control.SetWriteDeadline(deadline)
	}
	w.prolong()
	return nil
}

// SetReadDeadline sets the deadline of a body that has not arrived. It ignores the zero time.
func (w *prolongedWriter) SetReadDeadline(deadline time.Time) error {
	if w.body == nil || w.body.arrived || deadline.IsZero() {
		return nil
	}
	return w.control.SetReadDeadline(deadline)
}

// Unwrap supports http.ResponseController.
func (w *prolongedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ReadWithin sets the deadline of a request body, behind [Deadlines]. Without support for deadlines, that of the
// server applies.
func ReadWithin(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d))
}

// eventTimeout is the time a client has to receive one event.
const eventTimeout = 10 * time.Second

// Events is a stream of server-sent events. Safe for concurrent use.
type Events struct {
	mutex   sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
}

// EventType is the content type of events.
const EventType = "text/event-stream"

// NewEvents returns a stream. The caller writes the header.
func NewEvents(w http.ResponseWriter) *Events {
	return &Events{w: w, control: http.NewResponseController(w)}
}

// Send sends an event. An id of 0 is omitted.
func (e *Events) Send(event string, id int, data string) error {
	var text strings.Builder
	if id > 0 {
		fmt.Fprintf(&text, "id: %d\n", id)
	}
	fmt.Fprintf(&text, "event: %s\n", event)
	for line := range strings.Lines(strings.ReplaceAll(data, "\r", "")) {
		fmt.Fprintf(&text, "data: %s\n", strings.TrimSuffix(line, "\n"))
	}
	text.WriteString("\n")
	return e.write(text.String())
}

// Beat sends a heartbeat.
func (e *Events) Beat() error { return e.write(":\n\n") }

func (e *Events) write(text string) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if err := e.control.SetWriteDeadline(time.Now().Add(eventTimeout)); err != nil {
		return err
	}
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.control.Flush()
}

// End removes the write deadline, so the connection can be reused.
func (e *Events) End() {
	_ = e.control.SetWriteDeadline(time.Time{}) // fails only if the client is gone
}

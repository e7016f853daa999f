package middleware

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

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

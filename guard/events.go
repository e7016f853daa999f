package guard

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// eventTimeout is how long one event may take to be taken.
const eventTimeout = 10 * time.Second

// Events are a reply that goes on: server-sent events, sent from several goroutines.
type Events struct {
	mutex   sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
}

// EventType is the content type of events.
const EventType = "text/event-stream"

// NewEvents returns a reply whose header is written by the caller.
func NewEvents(w http.ResponseWriter) *Events {
	return &Events{w: w, control: http.NewResponseController(w)}
}

// Send sends an event. Without an id it has none.
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

// Beat shows that the reply goes on.
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

// End lets the reply end, and the connection be used again, however long ago the last event was.
func (e *Events) End() {
	_ = e.control.SetWriteDeadline(time.Time{}) // whoever listened has gone
}

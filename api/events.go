package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bestpick/access"
	"bestpick/api/wire"
	"bestpick/study"
)

const (
	eventType    = "text/event-stream"
	eventTimeout = 10 * time.Second // for one event to be taken
)

func (a *api) registerEvents() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "events", Method: http.MethodGet, Path: oneStudy + "/events", Tags: []string{tagResults}, Security: viewers(),
		Summary:     "The verdict whenever it changes, as server-sent events",
		Description: "The first comes at once. The stream ends when the study is deleted or the token revoked, with an event problem, or when the server stops.",
		Responses: map[string]*huma.Response{"200": {Description: "Events.", Content: map[string]*huma.MediaType{eventType: {Schema: &huma.Schema{
			Type: huma.TypeString, Description: "Events verdict, with a Verdict as JSON, and problem, with a Problem. The id is the number of the plan.",
		}}}}},
	}, a.events)
}

// events tells the verdict until somebody has enough.
func (a *api) events(ctx context.Context, in *StudyPath) (*huma.StreamResponse, error) {
	if _, err := a.studies.Study(ctx, in.Study); err != nil {
		return nil, a.problem(err)
	}
	return &huma.StreamResponse{Body: func(reply huma.Context) {
		reply.SetHeader("Content-Type", eventType)
		reply.SetHeader("X-Accel-Buffering", "no") // proxies that hold replies back let these pass
		reply.SetStatus(http.StatusOK)
		if reply.Method() == http.MethodHead {
			return
		}
		_, w := humago.Unwrap(reply)
		out := &eventStream{w: w, control: http.NewResponseController(w)}
		defer out.end()
		a.tell(ctx, in.Study, out)
	}}, nil
}

// tell sends verdicts until the context ends, the program stops, or something fails.
func (a *api) tell(ctx context.Context, id string, out *eventStream) {
	ctx, cancel := context.WithCancel(ctx)
	var alive sync.WaitGroup
	defer alive.Wait()
	defer cancel()
	alive.Go(func() { a.keepAlive(ctx, cancel, out) })
	err := a.studies.Watch(ctx, id, func(p study.Progress) error {
		arms, err := armsWith(ctx, a.studies, p.Study, mentioned(p.Verdict)...)
		if err != nil {
			return err
		}
		if err := out.send("verdict", p.Plan, writeVerdict(p, arms)); err != nil {
			cancel()
		}
		return nil
	})
	if err == nil || ctx.Err() != nil {
		return
	}
	if told, ok := errors.AsType[*huma.ErrorModel](a.problem(err)); ok {
		out.sendProblem(told)
	}
}

// keepAlive sends a sign of life now and then, and cancels when nobody listens, or may, or the program stops.
func (a *api) keepAlive(ctx context.Context, cancel func(), out *eventStream) {
	defer cancel()
	beat := time.NewTicker(a.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.Closing:
			return
		case <-beat.C:
			if _, err := a.Tokens.Token(ctx, holder(ctx).Hash); errors.Is(err, access.ErrUnknown) {
				out.sendProblem(unauthorized())
				return
			}
			if out.write(":\n\n") != nil {
				return
			}
		}
	}
}

// An eventStream is a reply that goes on.
type eventStream struct {
	mutex   sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
}

// send sends an event. Without an id it has none.
func (s *eventStream) send(event string, id int, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		panic("api: " + err.Error())
	}
	number := ""
	if id > 0 {
		number = fmt.Sprintf("id: %d\n", id)
	}
	return s.write(fmt.Sprintf("%sevent: %s\ndata: %s\n\n", number, event, text))
}

// sendProblem sends the event with which the stream ends.
func (s *eventStream) sendProblem(told *huma.ErrorModel) {
	_ = s.send("problem", 0, wire.Problem{Type: told.Type, Title: told.Title, Status: told.Status, Detail: told.Detail}) // it ends in any case
}

func (s *eventStream) write(text string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err := s.control.SetWriteDeadline(time.Now().Add(eventTimeout)); err != nil {
		return err
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}

// end lets the reply end, and the connection be used again, however long ago the last event was.
func (s *eventStream) end() {
	_ = s.control.SetWriteDeadline(time.Time{}) // whoever listened has gone
}

package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/study"
	"bestpick/wire"
)

func (a *api) registerEvents() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "events", Method: http.MethodGet, Path: oneStudy + "/events", Tags: []string{tagResults}, Security: viewers(),
		Summary:     "The verdict whenever it changes, as server-sent events",
		Description: "The first comes at once. The stream ends when the study is deleted or the token revoked, with an event problem, or when the server stops.",
		Responses: map[string]*huma.Response{"200": {Description: "Events.", Content: map[string]*huma.MediaType{middleware.EventType: {Schema: &huma.Schema{
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
		reply.SetHeader("Content-Type", middleware.EventType)
		reply.SetHeader("X-Accel-Buffering", "no") // proxies that hold replies back let these pass
		reply.SetStatus(http.StatusOK)
		if reply.Method() == http.MethodHead {
			return
		}
		_, w := humago.Unwrap(reply)
		out := middleware.NewEvents(w)
		defer out.End()
		a.tell(ctx, in.Study, out)
	}}, nil
}

// tell sends verdicts until the context ends, the program stops, or something fails.
func (a *api) tell(ctx context.Context, id string, out *middleware.Events) {
	ctx, cancel := context.WithCancel(ctx)
	var alive sync.WaitGroup
	defer alive.Wait()
	defer cancel()
	alive.Go(func() { a.keepAlive(ctx, cancel, out) })
	err := a.studies.Watch(ctx, id, func(p study.Progress) error {
		arms, err := a.studies.ArmsWith(ctx, p.Study, p.Verdict.Arms()...)
		if err != nil {
			return err
		}
		if err := send(out, "verdict", p.Plan, writeVerdict(p, arms, a.studies.Cards(p.Study, arms))); err != nil {
			cancel()
		}
		return nil
	})
	if err == nil || ctx.Err() != nil {
		return
	}
	if told, ok := errors.AsType[*huma.ErrorModel](a.problem(err)); ok {
		sendProblem(out, told)
	}
}

// keepAlive sends a sign of life now and then, and cancels when nobody listens, or may, or the program stops.
func (a *api) keepAlive(ctx context.Context, cancel func(), out *middleware.Events) {
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
				sendProblem(out, unauthorized())
				return
			}
			if out.Beat() != nil {
				return
			}
		}
	}
}

// send sends an event as JSON. Without an id it has none.
func send(out *middleware.Events, event string, id int, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		panic("api: " + err.Error())
	}
	return out.Send(event, id, string(text))
}

// sendProblem sends the event with which the stream ends.
func sendProblem(out *middleware.Events, told *huma.ErrorModel) {
	_ = send(out, "problem", 0, wire.Problem{Type: told.Type, Title: told.Title, Status: told.Status, Detail: told.Detail}) // it ends in any case
}

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
	"bestpick/internal/study/overview"
	"bestpick/wire"
)

func (a *api) registerEvents() {
	o := operation(
		"events", "GET "+oneStudy+"/events", tagResults, access.Viewer, "Follow the verdict as server-sent events",
		"The first event is sent at once. The stream ends with an event problem if the study is deleted or the "+
			"token revoked, and without one if the server stops.",
	)
	o.Responses = a.streamed()
	register(a, o, a.events)
}

// events streams the verdict until the client disconnects.
func (a *api) events(ctx context.Context, in *StudyPath) (*huma.StreamResponse, error) {
	if _, err := a.studies.Store.Study(ctx, in.Study); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(reply huma.Context) {
		reply.SetHeader("Content-Type", middleware.EventType)
		reply.SetHeader("X-Accel-Buffering", "no") // turns off buffering in nginx
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

// tell sends verdicts until the context ends, the server stops, or an error occurs.
func (a *api) tell(ctx context.Context, id string, out *middleware.Events) {
	ctx, cancel := context.WithCancel(ctx)
	var alive sync.WaitGroup
	defer alive.Wait()
	defer cancel()
	alive.Go(func() { a.keepAlive(ctx, cancel, out) })
	err := a.studies.Overview.Watch(ctx, id, func(p overview.Progress) error {
		arms, err := a.studies.Live.ArmsWith(ctx, p.Study, p.Verdict.Arms()...)
		if err != nil {
			return err
		}
		if err := send(out, "verdict", p.Plan, writeVerdict(p, arms, a.studies.Live.Cards(p.Study, arms))); err != nil {
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

// keepAlive sends heartbeats. It cancels the stream when the client disconnects, the token is revoked, or the server stops.
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

// send sends an event as JSON. It omits an ID of 0.
func send(out *middleware.Events, event string, id int, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		panic("api: " + err.Error())
	}
	return out.Send(event, id, string(text))
}

// sendProblem sends the last event of a stream.
func sendProblem(out *middleware.Events, told *huma.ErrorModel) {
	last := wire.Problem{Type: told.Type, Title: told.Title, Status: told.Status, Detail: told.Detail}
	_ = send(out, "problem", 0, last) // the stream ends in any case
}

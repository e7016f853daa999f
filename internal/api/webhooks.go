package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study/wiring"
	"bestpick/internal/webhook"
	"bestpick/wire"
)

func (a *api) registerWebhooks() {
	const path = oneStudy + "/webhook"
	huma.Register(a.huma, huma.Operation{
		OperationID: "set-webhook", Method: http.MethodPut, Path: path, Tags: []string{tagResults}, Security: owners(),
		Summary: "Say where the verdict is posted when the study is done",
		Description: "Once it is done, whatever the reason, what there is to know is posted as JSON, signed with the secret of the reply as Standard Webhooks defines it, again and again for a day until it is replied to with a status of 200 to 299. " +
			"Of a study that is done already, at once. Replaces the webhook there is, with a new secret. It is deleted with the study, and does not move with it to another database.",
	}, a.setWebhook)
	huma.Register(a.huma, huma.Operation{
		OperationID: "read-webhook", Method: http.MethodGet, Path: path, Tags: []string{tagResults}, Security: viewers(),
		Summary: "Where the verdict is posted, and whether it was received", Description: "Nobody can read the secret any more.",
	}, a.readWebhook)
	huma.Register(a.huma, huma.Operation{
		OperationID: "delete-webhook", Method: http.MethodDelete, Path: path, Tags: []string{tagResults}, Security: owners(),
		Summary: "Post the verdict nowhere", DefaultStatus: http.StatusNoContent,
	}, a.deleteWebhook)
}

type webhookInput struct {
	StudyPath

	Body wire.NewWebhook
}

func (a *api) setWebhook(ctx context.Context, in *webhookInput) (*reply[wire.CreatedWebhook], error) {
	if err := webhook.CheckURL(in.Body.URL, a.PrivateWebhooks); err != nil {
		return nil, invalid("body.url", err.Error())
	}
	h := webhook.New(in.Study, in.Body.URL, time.Now())
	if err := a.Webhooks.SetWebhook(ctx, h); err != nil {
		return nil, a.problem(err)
	}
	if address, err := url.Parse(h.URL); err == nil {
		note(ctx, "at "+address.Host) // the rest may be a secret
	}
	return &reply[wire.CreatedWebhook]{wire.CreatedWebhook{Webhook: writeWebhook(h), Secret: h.Secret}}, nil
}

func (a *api) readWebhook(ctx context.Context, in *StudyPath) (*reply[wire.Webhook], error) {
	h, err := a.Webhooks.Webhook(ctx, in.Study)
	if err != nil {
		return nil, a.webhookProblem(err)
	}
	return &reply[wire.Webhook]{writeWebhook(h)}, nil
}

func (a *api) deleteWebhook(ctx context.Context, in *StudyPath) (*struct{}, error) {
	if err := a.Webhooks.RemoveWebhook(ctx, in.Study); err != nil {
		return nil, a.webhookProblem(err)
	}
	return &struct{}{}, nil
}

func (a *api) webhookProblem(err error) error {
	if errors.Is(err, webhook.ErrNone) {
		return problem(http.StatusNotFound, wire.NotFound, "the study has no webhook")
	}
	return a.problem(err)
}

func writeWebhook(h webhook.Hook) wire.Webhook {
	w := wire.Webhook{
		URL: h.URL, Set: h.Made, State: string(h.State), Delivery: h.Delivery, Attempts: h.Attempts, Last: h.Last, Status: h.Status, Problem: h.Problem,
	}
	if h.State == webhook.Waiting && h.Next.After(h.Made) {
		w.Next = h.Next
	}
	return w
}

// Notice returns what a webhook tells of a study, and whether that is final.
func Notice(ctx context.Context, studies *wiring.Service, id string) (wire.Notice, bool, error) {
	progress, final, err := studies.Overview.Final(ctx, id)
	if err != nil || !final {
		return wire.Notice{}, false, err
	}
	verdict, err := verdictOf(ctx, studies, progress)
	at := progress.At
	if progress.Plan == 0 {
		at = progress.Study.Changed
	}
	s := progress.Study
	return wire.Notice{Study: s.ID, Name: s.Name, State: string(s.State), Reason: string(s.Reason), Verdict: verdict, At: at}, true, err
}

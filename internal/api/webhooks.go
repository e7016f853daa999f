package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"bestpick/internal/access"
	"bestpick/internal/study/wiring"
	"bestpick/internal/webhook"
	"bestpick/wire"
)

func (a *api) registerWebhooks() {
	const path = oneStudy + "/webhook"
	register(a, operation(
		"set-webhook", "PUT "+path, tagResults, access.Owner, "Set the webhook of a study",
		"When the study is done, for any reason, its verdict is posted to the URL as JSON, signed as Standard "+
			"Webhooks defines it with the secret in the reply. Failed deliveries are retried with backoff for a day, until the "+
			"receiver replies with a status of 200 to 299. "+
			"If the study is already done, the verdict is posted at once. Replaces an existing webhook and its secret. Deleting "+
			"the study deletes its webhook. Moving the study to another database does not move it.",
	), a.setWebhook)
	register(a, operation(
		"read-webhook", "GET "+path, tagResults, access.Viewer, "Read the webhook of a study",
		"With the state of its delivery, but without the secret. Viewers see only the host of its URL.",
	), a.readWebhook)
	register(a, withStatus(http.StatusNoContent, operation(
		"delete-webhook", "DELETE "+path, tagResults, access.Owner, "Remove the webhook of a study",
		"Notices that are still waiting are not sent.",
	)), a.deleteWebhook)
}

func (a *api) setWebhook(ctx context.Context, in *bodyInput[wire.NewWebhook]) (*reply[wire.CreatedWebhook], error) {
	if err := a.Webhooks.CheckURL(in.Body.URL); err != nil {
		return nil, invalid("body.url", err.Error())
	}
	h := webhook.New(in.Study, in.Body.URL, a.studies.Clock())
	if err := a.Webhooks.Set(ctx, h); err != nil {
		return nil, err
	}
	if address, err := url.Parse(h.URL); err == nil {
		note(ctx, "at "+address.Host) // the rest may be secret
	}
	return &reply[wire.CreatedWebhook]{wire.CreatedWebhook{Webhook: writeWebhook(h), Secret: h.Secret}}, nil
}

func (a *api) readWebhook(ctx context.Context, in *StudyPath) (*reply[wire.Webhook], error) {
	h, err := a.Webhooks.Store.Webhook(ctx, in.Study)
	if err != nil {
		return nil, webhookProblem(err)
	}
	shown := writeWebhook(h)
	if address, err := url.Parse(h.URL); err == nil && !holder(ctx).Role.May(access.Owner) { // the rest may be secret
		shown.URL = address.Scheme + "://" + address.Host + "/…"
	}
	return &reply[wire.Webhook]{shown}, nil
}

func (a *api) deleteWebhook(ctx context.Context, in *StudyPath) (*struct{}, error) {
	return &struct{}{}, webhookProblem(a.Webhooks.Store.RemoveWebhook(ctx, in.Study))
}

func webhookProblem(err error) error {
	if errors.Is(err, webhook.ErrNone) {
		return problem(http.StatusNotFound, wire.NotFound, "the study has no webhook")
	}
	return err
}

func writeWebhook(h webhook.Hook) wire.Webhook {
	w := wire.Webhook{
		URL: h.URL, Set: h.Made, State: string(h.State), Delivery: h.Delivery, Attempts: h.Attempts, Last: h.Last,
		Status: h.Status, Problem: h.Problem,
	}
	if h.State == webhook.Waiting && h.Next.After(h.Made) {
		w.Next = h.Next
	}
	return w
}

// Notice returns the notice of a study that a webhook delivers, and whether it is final.
func Notice(ctx context.Context, studies *wiring.Service, id string) (wire.Notice, bool, error) {
	progress, final, err := studies.Overview.Final(ctx, id)
	if err != nil {
		return wire.Notice{}, false, err
	}
	verdict, err := verdictOf(ctx, studies, progress)
	at := progress.At
	if progress.Plan == 0 {
		at = progress.Study.Changed
	}
	s := progress.Study
	return wire.Notice{
		Study: s.ID, Name: s.Name, State: string(s.State), Reason: string(s.Reason), Verdict: verdict, At: at,
	}, final, err
}

package admin

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
	"bestpick/internal/webhook"
)

// A webhookView is the page of a study's webhook.
type webhookView struct {
	page.OwnerView

	Study      study.Study
	Hook       *webhook.Hook // nil if there is none
	Deliveries []webhook.Delivery
	Address    string // as typed
	Problem    string // of the address
	Secret     string // of a hook that was just set
}

// Milliseconds returns how long an attempt took.
func (webhookView) Milliseconds(d webhook.Delivery) int64 { return d.Took.Milliseconds() }

// Received reports whether the receiver has accepted a delivery.
func (webhookView) Received(d webhook.Delivery) bool {
	return d.Status >= http.StatusOK && d.Status < http.StatusMultipleChoices
}

// registerWebhook registers the page of a study's webhook.
func (p *Pages) registerWebhook() {
	const path = page.StudiesPath + "{study}/webhook"
	handle := func(pattern string, do func(http.ResponseWriter, *http.Request, webhookView) error) {
		p.HandleForm(pattern, func(w http.ResponseWriter, r *http.Request, who access.Token) error {
			s, err := p.StudyOf(r)
			if err == nil && p.Webhooks == nil {
				err = study.ErrNotFound
			}
			if err != nil {
				return err
			}
			return do(w, r, webhookView{OwnerView: p.OwnerView(r, who), Study: s})
		})
	}
	handle("GET "+path, func(w http.ResponseWriter, r *http.Request, v webhookView) error {
		return p.showWebhook(w, r, http.StatusOK, v)
	})
	handle("POST "+path, p.setWebhook)
	handle("POST "+path+"/remove", p.removeWebhook)
	handle("POST "+path+"/test", p.testWebhook)
}

func (p *Pages) showWebhook(w http.ResponseWriter, r *http.Request, status int, v webhookView) error {
	hook, err := p.Webhooks.Store.Webhook(r.Context(), v.Study.ID)
	if err == nil {
		v.Hook = &hook
	} else if errors.Is(err, webhook.ErrNone) {
		err = nil
	}
	if err == nil {
		v.Deliveries, err = p.Webhooks.Store.Deliveries(r.Context(), v.Study.ID)
	}
	if err != nil {
		return err
	}
	return p.Show(w, status, "webhook", page.Whole, v)
}

// setWebhook sets the webhook, and shows its secret once.
func (p *Pages) setWebhook(w http.ResponseWriter, r *http.Request, v webhookView) error {
	v.Address = strings.TrimSpace(r.PostFormValue("url"))
	if access.IsEmail(v.Address) {
		v.Address = "mailto:" + v.Address
	}
	if err := p.Webhooks.CheckURL(v.Address); err != nil {
		v.Problem = err.Error()
		return p.showWebhook(w, r, http.StatusUnprocessableEntity, v)
	}
	hook := webhook.New(v.Study.ID, v.Address, p.Clock())
	if err := p.Webhooks.Set(r.Context(), hook); err != nil {
		return err
	}
	if address, err := url.Parse(hook.URL); err == nil {
		p.Record(r.Context(), v.Who, "set-webhook", v.Study.ID, "at "+address.Host) // the rest may be secret
	}
	if v.Address = ""; !strings.HasPrefix(hook.URL, "mailto:") {
		v.Secret = hook.Secret
	}
	return p.showWebhook(w, r, http.StatusOK, v)
}

// removeWebhook removes the webhook.
func (p *Pages) removeWebhook(w http.ResponseWriter, r *http.Request, v webhookView) error {
	err := p.Webhooks.Store.RemoveWebhook(r.Context(), v.Study.ID)
	if err != nil && !errors.Is(err, webhook.ErrNone) {
		return err
	}
	if err == nil {
		p.Record(r.Context(), v.Who, "delete-webhook", v.Study.ID, "")
	}
	return p.Redirect(w, r, page.StudyAddress(v.Study.ID, "/webhook"))
}

// testWebhook sends a test. The log of deliveries has the result.
func (p *Pages) testWebhook(w http.ResponseWriter, r *http.Request, v webhookView) error {
	hook, err := p.Webhooks.Store.Webhook(r.Context(), v.Study.ID)
	if err != nil && !errors.Is(err, webhook.ErrNone) {
		return err
	}
	if err == nil {
		if err := p.Webhooks.Test(r.Context(), hook); err != nil {
			return err
		}
		p.Record(r.Context(), v.Who, "test-webhook", v.Study.ID, "")
	}
	return p.Redirect(w, r, page.StudyAddress(v.Study.ID, "/webhook#deliveries"))
}

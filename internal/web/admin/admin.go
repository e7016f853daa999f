// Package admin serves the pages around studies: the list of studies, people with access, the audit log, webhooks and the
// link to share.
package admin

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"bestpick/internal/access"
	"bestpick/internal/web/page"
)

// Register registers the pages.
func (p *Pages) Register() {
	p.HandleViewers("GET "+page.ListPath+"{$}", p.list)
	p.HandleViewers("GET "+page.StudiesPath+"{study}/share", p.share)
	p.HandleOwners("GET "+page.AuditPath, p.audit)
	p.HandleOwners("GET "+page.AuditPath+".csv", p.auditFile)
	p.registerPeople()
	p.registerJoin()
	p.registerWebhook()
}

// registerJoin registers the page of an invitation. The link is accepted with a form, because mail programs follow
// links in advance.
func (p *Pages) registerJoin() {
	p.Handle("GET "+page.JoinPath+"{invitation}", p.Page(func(w http.ResponseWriter, r *http.Request) error {
		page.NeverFramed(w)
		p.RememberLanguage(w, r)
		hash := access.Hash(r.PathValue("invitation"))
		tokens, err := p.Tokens.Tokens(r.Context())
		switch {
		case err != nil:
			return err
		case slices.ContainsFunc(tokens, func(t access.Token) bool { return t.Hash == hash && t.Invites() && !t.Expired(p.Clock()) }):
			return p.Show(w, http.StatusOK, "join", page.Whole, page.MessageView{OwnerView: p.OwnerView(r, access.Token{}), Kind: "join"})
		}
		return p.ShowMessage(w, r, access.Token{}, http.StatusNotFound, "uninvited")
	}))
	p.Handle("POST "+page.JoinPath+"{invitation}", p.Page(p.join))
}

// join accepts an invitation: it signs the browser in with a new token, whose secret is not kept.
func (p *Pages) join(w http.ResponseWriter, r *http.Request) error {
	hash := access.Hash(rand.Text())
	token, err := p.Tokens.Accept(r.Context(), access.Hash(r.PathValue("invitation")), hash, p.Clock())
	switch {
	case errors.Is(err, access.ErrUnknown):
		p.Refused(r, "invitation-refused")
		return p.ShowMessage(w, r, access.Token{}, http.StatusNotFound, "uninvited")
	case err != nil:
		return err
	}
	p.Record(r.Context(), token, "accept-invitation", token.Study, "")
	p.SignIn(w, r, token)
	next := page.ListPath
	if token.Study != "" {
		next = page.StudiesPath + url.PathEscape(token.Study)
	}
	return p.Redirect(w, r, next)
}

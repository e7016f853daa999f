package web

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"bestpick/internal/access"
)

// registerJoin registers the page of an invitation. The link is accepted with a form, because mail programs follow
// links in advance.
func (p *Pages) registerJoin() {
	p.mux.HandleFunc("GET "+joinPath+"{invitation}", func(w http.ResponseWriter, r *http.Request) {
		neverFramed(w)
		p.rememberLanguage(w, r)
		hash := access.Hash(r.PathValue("invitation"))
		tokens, err := p.Tokens.Tokens(r.Context())
		switch {
		case err != nil:
			p.failed(w, r, err)
		case slices.ContainsFunc(tokens, func(t access.Token) bool { return t.Hash == hash && t.Invites() && !t.Expired(p.studies.Clock()) }):
			p.show(w, http.StatusOK, "join", "layout", sayingView{ownerView: p.ownerView(r, access.Token{})})
		default:
			p.say(w, r, access.Token{}, http.StatusNotFound, "uninvited")
		}
	})
	p.mux.HandleFunc("POST "+joinPath+"{invitation}", p.join)
}

// join accepts an invitation: it signs the browser in with a new token, whose secret is not kept.
func (p *Pages) join(w http.ResponseWriter, r *http.Request) {
	hash := access.Hash(rand.Text())
	now := p.studies.Clock()
	token, err := p.Tokens.Accept(r.Context(), access.Hash(r.PathValue("invitation")), hash, now)
	switch {
	case errors.Is(err, access.ErrUnknown):
		p.say(w, r, access.Token{}, http.StatusNotFound, "uninvited")
		return
	case err != nil:
		p.failed(w, r, err)
		return
	}
	p.record(r.Context(), token, "accept-invitation", token.Study, "")
	p.setSession(w, signSession(p.sessionKey(), token.Hash, rand.Text(), now.Add(keepSession)))
	w.Header().Set("Cache-Control", "no-store")
	next := listPath
	if token.Study != "" {
		next = studiesPath + url.PathEscape(token.Study)
	}
	p.goTo(w, r, next)
}

// Package web serves the pages: HTML that works without JavaScript and is faster with it, in the language of the
// browser. The binary contains all resources.
package web

import (
	"net/http"
	"strings"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/wiring"
	"bestpick/internal/web/admin"
	"bestpick/internal/web/page"
	"bestpick/internal/web/respond"
	"bestpick/internal/web/results"
	"bestpick/internal/web/setup"
)

// Options configure the pages.
type Options = page.Options

// Pages serves all pages.
type Pages struct {
	*page.Site

	respondents *respond.Pages
}

// Handler returns the pages for the studies of a service.
func Handler(s *wiring.Service, o Options) *Pages {
	site := page.New(s.Store, append([][]byte{s.Secret}, s.OtherSecrets...), s.Clock, o)
	p := &Pages{site, &respond.Pages{Site: site, Store: s.Store, Live: s.Live, Dispatch: s.Dispatch}}
	p.respondents.Register()
	key := replay.PublicKeyOf(s.Secret)
	(&admin.Pages{Site: site, Store: s.Store, Overview: s.Overview, Live: s.Live, PublicKey: key}).Register()
	(&setup.Pages{Site: site, Store: s.Store, Live: s.Live, Owner: s.Owner, Respond: p.respondents}).Register()
	(&results.Pages{Site: site, Overview: s.Overview, Live: s.Live, PublicKey: key}).Register()
	p.Handle("/", p.Page(p.unknown))
	return p
}

// unknown shows the page for unknown paths.
func (p *Pages) unknown(w http.ResponseWriter, r *http.Request) error {
	if strings.HasPrefix(r.URL.Path, page.RespondentsPath) {
		return p.respondents.Unknown(w, r)
	}
	return p.ShowMessage(w, r, access.Token{}, http.StatusNotFound, "nowhere")
}

// Unknown returns a handler that shows browsers a page for unknown paths, and passes other requests on.
func (p *Pages) Unknown(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isAPI := strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/docs"
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") && !isAPI {
			p.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// TooMany replies to requests over the rate limit, before routing.
func (p *Pages) TooMany(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	if strings.HasPrefix(r.URL.Path, page.RespondentsPath) {
		p.respondents.TooMany(w, r, wait)
		return
	}
	p.Site.TooMany(w, r, wait)
}

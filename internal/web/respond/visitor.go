package respond

import (
	"net/http"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/web/page"
)

// A visitor is a respondent of a study: a random name, and the parameters of the link.
//
// The name is in a cookie, with a signature, so that a visitor cannot choose it. For browsers without cookies, as in a
// frame on another site, it is also in the forms of the page, and JavaScript stores it.
type visitor struct {
	Name    string
	Pass    string // the name with its signature
	Kept    bool   // the request has the cookie
	Segment string // in the population
	Key     string // of a personal link, kept from page to page
	ID, Sig string // of a link that names the respondent, and its signature, kept in the same way
	Chosen  string // the language in the link
	Last    string // token of the answer that can still be undone
	Begun   bool   // the respondent has seen the welcome, and given consent if it is asked for
}

// The cookies.
const (
	nameCookie  = "respondent"
	lastCookie  = "last"
	begunCookie = "begun"
	keepName    = 180 * 24 * time.Hour
)

// visitorOf returns the visitor of a request, from its form, if that was parsed, or else from its
// query.
func (p *Pages) visitorOf(r *http.Request) visitor {
	said := r.Form
	if said == nil {
		said = r.URL.Query()
	}
	v := visitor{
		Segment: said.Get("segment"), Key: said.Get("key"), Chosen: said.Get("lang"), ID: said.Get("pid"),
		Sig: said.Get("sig"),
	}
	id, named := r.PathValue("study"), false
	if v.Pass = r.PostForm.Get("respondent"); v.Pass != "" {
		v.Name, named = p.Dispatch.Named(id, v.Pass)
	}
	if cookie, err := r.Cookie(nameCookie); err == nil {
		name, ok := p.Dispatch.Named(id, cookie.Value)
		if v.Kept = ok; ok && !named {
			v.Name, v.Pass, named = name, cookie.Value, true
		}
	}
	if !named {
		v.Name = study.NewName()
		v.Pass = p.Dispatch.Pass(id, v.Name)
	}
	if cookie, err := r.Cookie(begunCookie); err == nil && cookie.Value == page.Yes || r.PostForm.Get("begun") == page.Yes {
		v.Begun = true
	}
	if cookie, err := r.Cookie(lastCookie); err == nil {
		v.Last = cookie.Value
	}
	return v
}

// Query returns the query with the parameters of the link.
func (v visitor) Query() string {
	return page.Address("", "segment", v.Segment, "key", v.Key, "pid", v.ID, "sig", v.Sig, "lang", v.Chosen)
}

// who returns the visitor as a request names them.
func (v visitor) who() dispatch.Who {
	return dispatch.Who{Name: v.Name, Key: v.Key, ID: v.ID, Signature: v.Sig}
}

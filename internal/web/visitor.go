package web

import (
	"net/http"
	"net/url"
	"time"

	"bestpick/internal/study"
)

// A visitor is a respondent of a study: a random name, and the parameters of the link.
//
// The name is in a cookie. Where browsers keep none, as they may in a frame on another site, the forms of the
// page have it as well, and script keeps it beside the page.
type visitor struct {
	Name    string
	Kept    bool   // the browser has sent the cookie
	Segment string // of the population
	Key     string // of a personal link, passed on from page to page
	Chosen  string // language, by the link
	Last    string // token of the answer that may still be taken back
}

// The cookies.
const (
	nameCookie = "respondent"
	lastCookie = "last"
	keepName   = 180 * 24 * time.Hour
)

// visitorOf reads a request: its form, if that was parsed, and otherwise its query.
func visitorOf(r *http.Request) visitor {
	said := r.Form
	if said == nil {
		said = r.URL.Query()
	}
	v := visitor{Segment: said.Get("segment"), Key: said.Get("key"), Chosen: said.Get("lang")}
	if cookie, err := r.Cookie(nameCookie); err == nil && study.IsNewName(cookie.Value) {
		v.Name, v.Kept = cookie.Value, true
	}
	if named := r.PostForm.Get("respondent"); study.IsNewName(named) {
		v.Name = named
	}
	if v.Name == "" {
		v.Name = study.NewName()
	}
	if cookie, err := r.Cookie(lastCookie); err == nil {
		v.Last = cookie.Value
	}
	return v
}

// Query is the part of an address that says again what the link said.
func (v visitor) Query() string {
	query := url.Values{}
	for name, value := range map[string]string{"segment": v.Segment, "key": v.Key, "lang": v.Chosen} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// keep gives the browser a cookie for the pages of one study. Where these may be in a frame on another site it
// is one that browsers keep there, too, apart for each such site; which they do by TLS only.
func (p *Pages) keep(w http.ResponseWriter, s study.Study, name, value string, long time.Duration) {
	cookie := &http.Cookie{ //nolint:gosec // it is as secure as the connection
		Name: name, Value: value, Path: respondentsPath + s.ID, MaxAge: int(long.Seconds()), HttpOnly: true, Secure: p.Secure, SameSite: http.SameSiteLaxMode,
	}
	if p.Secure && p.Framed {
		cookie.SameSite, cookie.Partitioned = http.SameSiteNoneMode, true
	}
	http.SetCookie(w, cookie)
}

// Package respond serves the pages of respondents: the welcome, questions, profile questions and the states in between,
// with and without JavaScript, and a try-out for owners.
package respond

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// Register registers the pages.
func (p *Pages) Register() {
	const path = page.RespondentsPath + "{study}"
	p.Handle("GET "+path, p.Page(p.respond))
	p.Handle("GET "+path+"/{step}", p.Page(p.back))
	p.Handle("GET "+path+"/accent/{colour}", serveAccent)
	p.Handle("GET "+path+"/pictures/{hash}", p.Page(p.servePicture))
	for step, do := range map[string]func(http.ResponseWriter, *http.Request, visitor) error{
		"begin": p.begin, "profile": p.admit, "question": p.next, "answer": p.answer, "skip": p.skip, "undo": p.undo,
	} {
		p.Handle("POST "+path+"/"+step, p.Page(func(w http.ResponseWriter, r *http.Request) error {
			if err := page.ParseForm(w, r); err != nil {
				return err
			}
			v := p.visitorOf(r)
			if err := do(w, r, v); err != nil {
				return p.showError(w, r, v, err)
			}
			return nil
		}))
	}
	p.registerTry()
}

// respond shows the page of a study, with a question.
func (p *Pages) respond(w http.ResponseWriter, r *http.Request) error {
	v := p.visitorOf(r)
	s, err := p.study(r)
	switch {
	case r.Method == http.MethodHead: // which needs no question
	case err == nil && greets(s, v):
		p.keepName(w, s, v)
		return p.showPage(w, r, v, s, View{State: welcome(http.StatusOK)})
	default:
		lease, failed := p.ask(r.Context(), s, r.PathValue("study"), v)
		err = p.showQuestion(w, r, v, lease, failed)
	}
	if err != nil {
		return p.showError(w, r, v, err)
	}
	return nil
}

// back handles GET requests to the address of a form.
func (p *Pages) back(w http.ResponseWriter, r *http.Request) error {
	return p.redirectToQuestion(w, r, p.visitorOf(r), study.Study{ID: r.PathValue("study")}, "")
}

// Unknown shows the page for unknown studies.
func (p *Pages) Unknown(w http.ResponseWriter, r *http.Request) error {
	return p.showError(w, r, p.visitorOf(r), study.ErrNotFound)
}

// TooMany replies to requests over the rate limit, before routing.
func (p *Pages) TooMany(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, page.RespondentsPath), "/")
	r.SetPathValue("study", id)
	p.Page(func(w http.ResponseWriter, r *http.Request) error {
		return p.showError(w, r, p.visitorOf(r), study.TooMany(wait))
	})(w, r)
}

// servePicture serves a stored picture. Its address has a hash of its bytes, so that browsers may keep it for good. As
// the picture was encoded here, it has nothing to run; the headers make sure.
func (p *Pages) servePicture(w http.ResponseWriter, r *http.Request) error {
	found, err := p.Store.Picture(r.Context(), r.PathValue("study"), r.PathValue("hash"))
	if errors.Is(err, study.ErrNotFound) {
		http.NotFound(w, r)
		return nil
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", found.Type)
	h.Set("Content-Length", strconv.Itoa(len(found.Bytes)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = w.Write(found.Bytes) // the client has gone
	return nil
}

// Package respond serves the pages of respondents: the welcome, questions, profile questions and the states in between,
// with and without JavaScript, and a try-out for owners.
package respond

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/live"
	"bestpick/internal/web/page"
)

// Pages serves the pages of respondents.
type Pages struct {
	*page.Site

	Store    Store
	Live     *live.Studies
	Dispatch *dispatch.Dispatcher
}

// Store has the pictures of options and the profiles of respondents.
type Store interface {
	Picture(ctx context.Context, id, hash string) (study.Picture, error)
	Profile(ctx context.Context, id, respondent string) (study.Profile, error)
}

// Register registers the pages.
func (p *Pages) Register() {
	const path = page.RespondentsPath + "{study}"
	p.Handle("GET "+path, p.respond)
	p.Handle("POST "+path+"/begin", p.begin)
	p.Handle("POST "+path+"/profile", p.admit)
	p.Handle("GET "+path+"/accent/{colour}", serveAccent)
	p.Handle("POST "+path+"/question", p.next)
	p.Handle("POST "+path+"/answer", p.answer)
	p.Handle("POST "+path+"/skip", p.skip)
	p.Handle("POST "+path+"/undo", p.undo)
	p.Handle("GET "+path+"/{step}", p.back)
	p.Handle("GET "+path+"/pictures/{hash}", p.servePicture)
	p.registerTry()
}

// respond shows the page of a study, with a question.
func (p *Pages) respond(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead { // HEAD requests need no Question
		if _, err := p.study(r); err != nil {
			p.showError(w, r, visitorOf(r), err)
		}
		return
	}
	v := visitorOf(r)
	if s, err := p.study(r); err == nil && greets(s, v) {
		p.keep(w, s, nameCookie, v.Name, keepName)
		p.showPage(w, r, v, s, View{State: welcome()})
		return
	}
	lease, err := p.ask(r.Context(), r.PathValue("study"), v)
	p.leased(w, r, v, lease, err)
}

// leased shows the page with a question, or with the state that an error means.
func (p *Pages) leased(w http.ResponseWriter, r *http.Request, v visitor, lease dispatch.Lease, err error) {
	if err != nil {
		p.showError(w, r, v, err)
		return
	}
	q, err := p.dealt(r.Context(), lease)
	if err != nil {
		p.showError(w, r, v, err)
		return
	}
	p.keep(w, lease.Study, nameCookie, v.Name, keepName)
	p.showPage(w, r, v, lease.Study, View{Question: &q})
}

// showPage shows the page of a study, which is zero if it is unknown, with a question or a state.
func (p *Pages) showPage(w http.ResponseWriter, r *http.Request, v visitor, s study.Study, view View) {
	view.Words, view.visitor, view.Study, view.Grace = p.WordsIn(r, v.Chosen), v, r.PathValue("study"), grace(s)
	if notice := r.URL.Query().Get("notice"); view.Notice == "" && isNotice(notice) {
		view.Notice = notice
	}
	p.present(r.Context(), s, v, &view)
	status := http.StatusOK
	if view.State != nil {
		status = view.State.Status
		if promisesQuestion(view.Notice) {
			view.Notice = ""
		}
		if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", strconv.Itoa(view.State.Retry))
		}
	}
	p.Show(w, status, "respond", page.Whole, view)
}

// showError shows the page with the state of an error.
func (p *Pages) showError(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	shownState := p.stateOf(r.Context(), r.PathValue("study"), err)
	s, err := p.study(r)
	if err == nil {
		p.keep(w, s, nameCookie, v.Name, keepName)
	}
	p.showPage(w, r, v, s, View{State: &shownState})
}

// next returns the question after the one on the screen, as a fragment. JavaScript prefetches it, so it is numbered
// from the one on the screen, and not dealt if that is the last.
func (p *Pages) next(w http.ResponseWriter, r *http.Request) {
	if !page.ParseForm(w, r) {
		return
	}
	v := visitorOf(r)
	view := View{Words: p.WordsIn(r, v.Chosen), visitor: v, Study: r.PathValue("study")}
	after, _ := strconv.Atoi(r.PostFormValue("after")) // 0 if no question is on the screen
	s, err := p.study(r)
	if err == nil && greets(s, v) {
		view.State = welcome()
	} else if err == nil && s.Settings.Each > 0 && after >= s.Settings.Each {
		shownState := enough(s)
		view.State = &shownState
	} else if q, err := p.asked(r.Context(), view.Study, v); err != nil {
		shownState := p.stateOf(r.Context(), view.Study, err)
		view.State = &shownState
	} else {
		if after > 0 {
			q.Number = after + 1
		}
		view.Question = &q
	}
	p.present(r.Context(), s, v, &view)
	p.Show(w, http.StatusOK, "respond", "stage", view)
}

func (p *Pages) asked(ctx context.Context, id string, v visitor) (Question, error) {
	lease, err := p.ask(ctx, id, v)
	if err != nil {
		return Question{}, err
	}
	return p.dealt(ctx, lease)
}

// ask leases a question to a visitor.
func (p *Pages) ask(ctx context.Context, id string, v visitor) (dispatch.Lease, error) {
	if !page.IsText(id) {
		return dispatch.Lease{}, study.ErrNotFound
	}
	if v.Key != "" {
		return p.Dispatch.AskWithKey(ctx, id, v.Key, v.Segment)
	}
	return p.Dispatch.Ask(ctx, id, v.Name, v.Segment)
}

// askNext deals the question after that of a ticket, with the same ticket. It waits for one as ask does.
func (p *Pages) askNext(r *http.Request, t dispatch.Ticket) (dispatch.Lease, error) {
	lease, err := p.Dispatch.Next(r.Context(), t, p.Dispatch.Patience)
	if t.Study.Settings.Each == study.NoLimit { // then it was not read
		lease.Done = numberOf(r)
	}
	return lease, err
}

// study returns the requested study.
func (p *Pages) study(r *http.Request) (study.Study, error) {
	id := r.PathValue("study")
	if !page.IsText(id) {
		return study.Study{}, study.ErrNotFound
	}
	return p.Live.CachedStudy(r.Context(), id)
}

// grace returns how long an answer can be undone, in seconds.
func grace(s study.Study) int { return max(0, int(s.Settings.Grace.Seconds())) }

// Unknown shows the page for unknown studies.
func (p *Pages) Unknown(w http.ResponseWriter, r *http.Request) {
	p.showError(w, r, visitorOf(r), study.ErrNotFound)
}

// TooMany replies to requests over the rate limit, before routing.
func (p *Pages) TooMany(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, page.RespondentsPath), "/")
	r.SetPathValue("study", id)
	p.showError(w, r, visitorOf(r), study.TooMany(wait))
}

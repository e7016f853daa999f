package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
)

// respond shows the page of a study, with a question.
func (p *Pages) respond(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead { // HEAD requests need no question
		if _, err := p.study(r); err != nil {
			p.tell(w, r, visitorOf(r), err)
		}
		return
	}
	v := visitorOf(r)
	if s, err := p.study(r); err == nil && greets(s, v) {
		p.keep(w, s, nameCookie, v.Name, keepName)
		p.page(w, r, v, s, respondView{State: welcome()})
		return
	}
	lease, err := p.ask(r.Context(), r.PathValue("study"), v)
	p.leased(w, r, v, lease, err)
}

// leased shows the page with a question, or with the state that an error means.
func (p *Pages) leased(w http.ResponseWriter, r *http.Request, v visitor, lease dispatch.Lease, err error) {
	if err != nil {
		p.tell(w, r, v, err)
		return
	}
	q, err := p.dealt(r.Context(), lease)
	if err != nil {
		p.tell(w, r, v, err)
		return
	}
	p.keep(w, lease.Study, nameCookie, v.Name, keepName)
	p.page(w, r, v, lease.Study, respondView{Question: &q})
}

// page shows the page of a study, which is zero if it is unknown, with a question or a state.
func (p *Pages) page(w http.ResponseWriter, r *http.Request, v visitor, s study.Study, view respondView) {
	view.words, view.visitor, view.Study, view.Grace = p.languages.of(r, v.Chosen), v, r.PathValue("study"), grace(s)
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
	p.show(w, status, respondPage, "layout", view)
}

// tell shows the page with the state of an error.
func (p *Pages) tell(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	told := p.stateOf(r.Context(), r.PathValue("study"), err)
	s, err := p.study(r)
	if err == nil {
		p.keep(w, s, nameCookie, v.Name, keepName)
	}
	p.page(w, r, v, s, respondView{State: &told})
}

// next returns the question after the one on the screen, as a fragment. JavaScript prefetches it, so it is numbered
// from the one on the screen, and not dealt if that is the last.
func (p *Pages) next(w http.ResponseWriter, r *http.Request) {
	if !parse(w, r) {
		return
	}
	v := visitorOf(r)
	view := respondView{words: p.languages.of(r, v.Chosen), visitor: v, Study: r.PathValue("study")}
	after, _ := strconv.Atoi(r.PostFormValue("after")) // 0 if no question is on the screen
	s, err := p.study(r)
	if err == nil && greets(s, v) {
		view.State = welcome()
	} else if err == nil && s.Settings.Each > 0 && after >= s.Settings.Each {
		told := enough(s)
		view.State = &told
	} else if q, err := p.asked(r.Context(), view.Study, v); err != nil {
		told := p.stateOf(r.Context(), view.Study, err)
		view.State = &told
	} else {
		if after > 0 {
			q.Number = after + 1
		}
		view.Question = &q
	}
	p.present(r.Context(), s, v, &view)
	p.show(w, http.StatusOK, respondPage, "stage", view)
}

func (p *Pages) asked(ctx context.Context, id string, v visitor) (question, error) {
	lease, err := p.ask(ctx, id, v)
	if err != nil {
		return question{}, err
	}
	return p.dealt(ctx, lease)
}

// ask leases a question to a visitor.
func (p *Pages) ask(ctx context.Context, id string, v visitor) (dispatch.Lease, error) {
	if !isText(id) {
		return dispatch.Lease{}, study.ErrNotFound
	}
	if v.Key != "" {
		return p.studies.Dispatch.AskWithKey(ctx, id, v.Key, v.Segment)
	}
	return p.studies.Dispatch.Ask(ctx, id, v.Name, v.Segment)
}

// askNext deals the question after that of a ticket, with the same ticket. It waits for one as ask does.
func (p *Pages) askNext(r *http.Request, t dispatch.Ticket) (dispatch.Lease, error) {
	lease, err := p.studies.Dispatch.Next(r.Context(), t, p.studies.Dispatch.Patience)
	if t.Study.Settings.Each == study.NoLimit { // then it was not read
		lease.Done = numberOf(r)
	}
	return lease, err
}

// study returns the requested study.
func (p *Pages) study(r *http.Request) (study.Study, error) {
	id := r.PathValue("study")
	if !isText(id) {
		return study.Study{}, study.ErrNotFound
	}
	return p.studies.Live.CachedStudy(r.Context(), id)
}

// isText reports whether every store can store a text.
func isText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// grace returns how long an answer can be undone, in seconds.
func grace(s study.Study) int { return max(0, int(s.Settings.Grace.Seconds())) }

// nothing shows the page for unknown paths.
func (p *Pages) nothing(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, respondentsPath) {
		p.tell(w, r, visitorOf(r), study.ErrNotFound)
		return
	}
	p.say(w, r, access.Token{}, http.StatusNotFound, "nowhere")
}

// Unknown returns a handler that shows browsers a page for unknown paths, and passes other requests on.
func (p *Pages) Unknown(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") && !api(r.URL.Path) {
			p.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// api reports whether a path belongs to the API or its documentation.
func api(path string) bool { return strings.HasPrefix(path, "/api/") || path == "/docs" }

// TooMany replies to requests over the rate limit, before routing.
func (p *Pages) TooMany(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	rest, is := strings.CutPrefix(r.URL.Path, respondentsPath)
	if !is {
		w.Header().Set("Retry-After", retryAfter(wait))
		p.say(w, r, access.Token{}, http.StatusTooManyRequests, "busy")
		return
	}
	id, _, _ := strings.Cut(rest, "/")
	r.SetPathValue("study", id)
	p.tell(w, r, visitorOf(r), study.TooMany(wait))
}

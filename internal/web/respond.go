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
)

// respond shows the page of a study, with a question.
func (p *Pages) respond(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead { // HEAD requests need no question
		if _, err := p.study(r); err != nil {
			p.tell(w, r, visitorOf(r), err)
		}
		return
	}
	p.nextPage(w, r, visitorOf(r))
}

// nextPage leases a question and shows it, or else the reason why there is none.
func (p *Pages) nextPage(w http.ResponseWriter, r *http.Request, v visitor) {
	lease, err := p.ask(r.Context(), r.PathValue("study"), v)
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
	p.page(w, r, v, respondView{Question: &q, Grace: grace(lease.Study)})
}

// page shows the page with a question or a state.
func (p *Pages) page(w http.ResponseWriter, r *http.Request, v visitor, view respondView) {
	view.words, view.visitor, view.Study = p.languages.of(r, v.Chosen), v, r.PathValue("study")
	if notice := r.URL.Query().Get("notice"); view.Notice == "" && isNotice(notice) {
		view.Notice = notice
	}
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
	view := respondView{State: &told}
	if s, err := p.study(r); err == nil {
		p.keep(w, s, nameCookie, v.Name, keepName)
		view.Grace = grace(s)
	}
	p.page(w, r, v, view)
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
	if s, err := p.study(r); err == nil && s.Settings.Each > 0 && after >= s.Settings.Each {
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
func (p *Pages) ask(ctx context.Context, id string, v visitor) (study.Lease, error) {
	if !isText(id) {
		return study.Lease{}, study.ErrNotFound
	}
	key := ""
	if v.Key != "" {
		key = study.HashKey(v.Key)
	}
	if ok, wait := p.Respondents.Allow(study.Caller(id, v.Name, key), time.Now()); !ok {
		return study.Lease{}, oftenError{wait}
	}
	if v.Key != "" {
		return p.studies.AskWithKey(ctx, id, v.Key, v.Segment)
	}
	return p.studies.Ask(ctx, id, v.Name, v.Segment)
}

// study returns the requested study.
func (p *Pages) study(r *http.Request) (study.Study, error) {
	id := r.PathValue("study")
	if !isText(id) {
		return study.Study{}, study.ErrNotFound
	}
	return p.studies.Lately(r.Context(), id)
}

// isText reports whether every store can store a text.
func isText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// grace returns how long an answer can be undone, in seconds.
func grace(s study.Study) int { return max(0, int(s.Settings.Grace.Seconds())) }

// nothing shows the page for unknown paths.
func (p *Pages) nothing(w http.ResponseWriter, r *http.Request) {
	p.tell(w, r, visitorOf(r), study.ErrNotFound)
}

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
	p.tell(w, r, visitorOf(r), oftenError{wait})
}

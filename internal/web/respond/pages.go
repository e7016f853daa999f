package respond

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"bestpick/internal/problems"
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
	Respondent(ctx context.Context, id, respondent string) (study.History, error)
}

// study returns the requested study.
func (p *Pages) study(r *http.Request) (study.Study, error) {
	return p.Live.CachedStudy(r.Context(), r.PathValue("study"))
}

// keep sets a cookie for the pages of one study. If other sites may frame the pages, the cookie is
// partitioned by site, which browsers allow over TLS only.
func (p *Pages) keep(w http.ResponseWriter, s study.Study, name, value string, long time.Duration) {
	cookie := &http.Cookie{ //nolint:gosec // Secure depends on the connection
		Name: name, Value: value, Path: p.Base + page.RespondentsPath + s.ID, MaxAge: int(long.Seconds()), HttpOnly: true,
		Secure: p.Secure, SameSite: http.SameSiteLaxMode,
	}
	if p.Secure && p.Framed {
		cookie.SameSite, cookie.Partitioned = http.SameSiteNoneMode, true
	}
	http.SetCookie(w, cookie)
}

// keepName sets the cookie with the name of a visitor, unless the study asks for consent that they have not given.
func (p *Pages) keepName(w http.ResponseWriter, s study.Study, v visitor) {
	if v.Begun || !s.Page.Asks() {
		p.keep(w, s, nameCookie, v.Pass, keepName)
	}
}

// respondentPage is the name of the page.
const respondentPage = "respond"

// showPage shows the page of a study, which is zero if it is unknown, with a question or a state.
func (p *Pages) showPage(w http.ResponseWriter, r *http.Request, v visitor, s study.Study, view View) error {
	view.Words, view.visitor, view.Study, view.Grace = p.WordsIn(r, v.Chosen), v, r.PathValue("study"), grace(s)
	shown := []string{problems.Replaced, problems.Conflict, problems.TooLate}
	if notice := r.URL.Query().Get("notice"); view.Notice == "" && slices.Contains(shown, notice) {
		view.Notice = notice
	}
	p.present(r.Context(), s, v, &view)
	status := http.StatusOK
	if view.State != nil {
		status = view.State.Status
		if view.Notice == problems.Replaced || view.Notice == problems.Conflict { // which announce another question
			view.Notice = ""
		}
		if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", strconv.Itoa(view.State.Retry))
		}
	}
	return p.Show(w, status, respondentPage, page.Whole, view)
}

// grace returns how long an answer can be undone, in seconds.
func grace(s study.Study) int { return max(0, int(s.Settings.Grace.Seconds())) }

// showError shows the page with the state of an error.
func (p *Pages) showError(w http.ResponseWriter, r *http.Request, v visitor, err error) error {
	view := View{State: p.stateOf(r.Context(), r.PathValue("study"), err)}
	s, err := p.study(r)
	if err == nil {
		p.keepName(w, s, v)
	}
	return p.showPage(w, r, v, s, view)
}

// segmentField is the field of a respondent whose segment is missing or unknown.
const segmentField = "segment"

// stateOf returns the state that a respondent sees for an error.
func (p *Pages) stateOf(ctx context.Context, id string, err error) *state {
	e := study.Coded(err)
	if e.Code == study.CodeTooMany {
		retry := max(1, int(math.Ceil(e.Wait.Seconds())))
		return &state{Page: problems.Page{Kind: problems.Limited, Retry: retry, Status: http.StatusTooManyRequests}}
	}
	choose := e.Code == study.CodeInvalid && e.Field == segmentField
	if choose || e.Code == study.CodeEnough || e.Code == study.CodeProfile {
		s, err := p.Live.CachedStudy(ctx, id)
		switch {
		case err != nil:
			return p.stateOf(ctx, id, err)
		case choose:
			return askSegment(s)
		case e.Code == study.CodeProfile:
			return askProfile(s.ProfileQuestions(false), false)
		}
		return enough(s)
	}
	shown := problems.Of(e.Code).Page
	if shown.Kind == problems.Failed {
		p.Log.Error("a page failed", "error", err)
	}
	return &state{Page: shown}
}

// present adds the owner's presentation to a view. Respondents who have answered all questions, or answered before the
// study ended, see the completion code. They, people who are too many and people who are not eligible get an address to
// continue at.
func (p *Pages) present(ctx context.Context, s study.Study, v visitor, view *View) {
	p.askAfter(ctx, s, v, view)
	view.present(s)
	if view.State == nil {
		return
	}
	name, err := p.respondentOf(ctx, s, v)
	if err != nil {
		name = v.Name
	}
	switch view.State.Kind {
	case problems.Quota:
		view.Presented.Leave = study.Leave(s.Page.Full, name)
	case problems.Ineligible:
		view.Presented.Leave = study.Leave(s.Page.Screened, name)
	case problems.Enough, problems.Done:
		if view.State.Kind == problems.Done {
			history, err := p.Store.Respondent(ctx, s.ID, name)
			if err != nil || history.Questions == 0 {
				view.Presented.Leave = study.Leave(s.Page.Full, name)
				return
			}
		}
		view.Presented.Leave, view.Presented.Code = study.Leave(s.Page.Redirect, name), s.Page.Code
	}
}

// askAfter replaces the thanks to a respondent by the profile questions that follow the last question, unless the
// respondent has answered them. If the profile cannot be read, the thanks stay.
func (p *Pages) askAfter(ctx context.Context, s study.Study, v visitor, view *View) {
	questions := s.ProfileQuestions(true)
	if len(questions) == 0 || view.State == nil || view.State.Kind != problems.Enough {
		return
	}
	name, err := p.respondentOf(ctx, s, v)
	if err != nil {
		return
	}
	profile, err := p.Store.Profile(ctx, s.ID, name)
	if err != nil {
		p.Log.Error("a profile cannot be read", "error", err)
		return
	}
	if missing := profile.Missing(questions); len(missing) > 0 {
		view.State = askProfile(missing, true)
	}
}

// respondentOf returns the name under which a visitor answers: for members of a panel, the member's.
func (p *Pages) respondentOf(ctx context.Context, s study.Study, v visitor) (string, error) {
	switch {
	case v.Key == "" && s.Settings.Audience.HasIDs() && v.ID != "":
		return v.ID, nil
	case v.Key == "":
		return v.Name, nil
	}
	member, err := p.Live.Member(ctx, s, study.HashKey(v.Key))
	return member.Name, err
}

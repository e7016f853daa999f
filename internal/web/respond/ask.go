package respond

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/web/page"
)

// showQuestion shows the page with the question of a lease, or returns the error.
func (p *Pages) showQuestion(w http.ResponseWriter, r *http.Request, v visitor, lease dispatch.Lease, err error) error {
	if err != nil {
		return err
	}
	q, err := p.leased(r.Context(), lease)
	if err != nil {
		return err
	}
	p.keep(w, lease.Study, nameCookie, v.Pass, keepName)
	return p.showPage(w, r, v, lease.Study, View{Question: q})
}

// ask leases a question of a study, which is zero if it is unknown, to a visitor. The segment in the link does not count
// if the profile decides.
func (p *Pages) ask(ctx context.Context, s study.Study, id string, v visitor) (dispatch.Lease, error) {
	if s.ProfileDecides() {
		v.Segment = ""
	}
	return p.Dispatch.AskAs(ctx, id, v.who(), v.Segment)
}

// next returns the question after the one on the screen, as a fragment. JavaScript prefetches it, so it is numbered
// from the one on the screen, and not dealt if that is the last.
func (p *Pages) next(w http.ResponseWriter, r *http.Request, v visitor) error {
	view := View{Words: p.WordsIn(r, v.Chosen), visitor: v, Study: r.PathValue("study")}
	after, _ := strconv.Atoi(r.PostFormValue("after")) // 0 if no question is on the screen
	s, err := p.study(r)
	switch {
	case err == nil && greets(s, v):
		view.State = welcome(http.StatusOK)
	case err == nil && s.Settings.PerRespondent > 0 && after >= s.Settings.PerRespondent:
		view.State = enough(s)
	default:
		lease, err := p.ask(r.Context(), s, view.Study, v)
		if err == nil {
			view.Question, err = p.leased(r.Context(), lease)
		}
		if err != nil {
			view.Question, view.State = nil, p.stateOf(r.Context(), view.Study, err)
		} else if after > 0 {
			view.Question.Number = after + 1
		}
	}
	p.present(r.Context(), s, v, &view)
	return p.Show(w, http.StatusOK, respondentPage, "stage", view)
}

// greets reports whether a respondent first sees the welcome of a study.
func greets(s study.Study, v visitor) bool {
	audience := s.Settings.Audience
	return s.State == study.Open && !v.Begun && !(audience == study.Personal && v.Key == "") &&
		!(audience.HasIDs() && v.ID == "" && v.Key == "") && s.Page.Greets()
}

// begin asks the first question, if the respondent has given the consent that the owner asks for.
func (p *Pages) begin(w http.ResponseWriter, r *http.Request, v visitor) error {
	s, err := p.study(r)
	if err != nil {
		return err
	}
	if s.Page.Asks() {
		consent := r.PostFormValue("consent")
		if s.Page.ConsentText(consent) == "" {
			return p.showPage(w, r, v, s, View{State: welcome(http.StatusUnprocessableEntity), Notice: "consent"})
		}
		if err := p.Dispatch.Agree(r.Context(), s.ID, v.who(), consent); err != nil {
			return err
		}
	}
	v.Begun = true
	p.keep(w, s, begunCookie, page.Yes, keepName)
	return p.continueWith(w, r, v, s)
}

// continueWith continues with a question: by a redirect, or without cookies at once.
func (p *Pages) continueWith(w http.ResponseWriter, r *http.Request, v visitor, s study.Study) error {
	if v.Kept {
		return p.redirectToQuestion(w, r, v, s, "")
	}
	lease, err := p.ask(r.Context(), s, s.ID, v)
	return p.showQuestion(w, r, v, lease, err)
}

// redirectToQuestion redirects to the page, so that reloading it does not submit the form again.
func (p *Pages) redirectToQuestion(w http.ResponseWriter, r *http.Request, v visitor, s study.Study, notice string) error {
	return p.Redirect(w, r, page.Address(page.RespondentsPath+url.PathEscape(s.ID),
		"segment", v.Segment, "key", v.Key, "pid", v.ID, "sig", v.Sig, "lang", v.Chosen, "notice", notice))
}

// answerPrefix precedes the name of a profile question in the names of fields.
const answerPrefix = "answer:"

// admit stores the answers to profile questions, and continues.
func (p *Pages) admit(w http.ResponseWriter, r *http.Request, v visitor) error {
	s, err := p.study(r)
	if err != nil {
		return err
	}
	if greets(s, v) {
		return p.showPage(w, r, v, s, View{State: welcome(http.StatusOK)})
	}
	after, answers := r.PostFormValue("after") == page.Yes, map[string]string{}
	for _, q := range s.ProfileQuestions(after) {
		if given, is := r.PostForm[answerPrefix+q.Name]; is {
			answers[q.Name] = given[0]
		}
	}
	_, err = p.Dispatch.Admit(r.Context(), s.ID, v.who(), after, answers)
	if errors.Is(err, study.ErrInvalid) {
		asking := askProfile(s.ProfileQuestions(after), after)
		asking.Status = http.StatusUnprocessableEntity
		return p.showPage(w, r, v, s, View{State: asking, Notice: "profile"})
	}
	if err != nil {
		return err
	}
	return p.continueWith(w, r, v, s)
}

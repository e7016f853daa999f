package respond

import (
	"context"
	"errors"
	"net/http"

	"bestpick/internal/problems"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// answerPrefix precedes the name of a profile question in the names of fields.
const answerPrefix = "answer:"

// profileState returns the state in which a respondent answers profile questions.
func profileState(questions []study.ProfileQuestion, after bool) state {
	return state{Page: problems.Of(study.CodeProfile).Page, Profile: questions, After: after}
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
	if missing := profile.Missing(questions); len(missing) > 0 && !profile.Refused {
		shownState := profileState(missing, true)
		view.State = &shownState
	}
}

// admit stores the answers to profile questions, and continues.
func (p *Pages) admit(w http.ResponseWriter, r *http.Request) {
	if !page.ParseForm(w, r) {
		return
	}
	v, after := visitorOf(r), r.PostFormValue("after") == page.Yes
	s, err := p.study(r)
	if err != nil {
		p.showError(w, r, v, err)
		return
	}
	if greets(s, v) {
		p.showPage(w, r, v, s, View{State: welcome()})
		return
	}
	err = p.admitVisitor(r, s, v, after)
	if errors.Is(err, study.ErrInvalid) {
		shownState := profileState(s.ProfileQuestions(after), after)
		shownState.Status = http.StatusUnprocessableEntity
		p.showPage(w, r, v, s, View{State: &shownState, Notice: "profile"})
		return
	}
	if err != nil {
		p.showError(w, r, v, err)
		return
	}
	if v.Kept {
		p.redirectToQuestion(w, r, v, s, "")
		return
	}
	lease, err := p.ask(r.Context(), s.ID, v)
	p.leased(w, r, v, lease, err)
}

// admitVisitor stores the answers of a form.
func (p *Pages) admitVisitor(r *http.Request, s study.Study, v visitor, after bool) error {
	answers := map[string]string{}
	for _, q := range s.ProfileQuestions(after) {
		if given, is := r.PostForm[answerPrefix+q.Name]; is {
			answers[q.Name] = given[0]
		}
	}
	_, err := p.Dispatch.Admit(r.Context(), s.ID, v.Name, v.Key, after, answers)
	return err
}

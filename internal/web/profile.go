package web

import (
	"context"
	"errors"
	"net/http"

	"bestpick/internal/problems"
	"bestpick/internal/study"
)

// answerPrefix precedes the name of a profile question in the names of fields.
const answerPrefix = "answer:"

// profileState returns the state in which a respondent answers profile questions.
func profileState(questions []study.ProfileQuestion, after bool) state {
	return state{Page: problems.Of(study.CodeProfile).Page, Profile: questions, After: after}
}

// askAfter replaces the thanks to a respondent by the profile questions that follow the last question, unless the
// respondent has answered them. If the profile cannot be read, the thanks stay.
func (p *Pages) askAfter(ctx context.Context, s study.Study, v visitor, view *respondView) {
	questions := s.ProfileQuestions(true)
	if len(questions) == 0 || view.State == nil || view.State.Kind != problems.Enough {
		return
	}
	name, err := p.respondentOf(ctx, s, v)
	if err != nil {
		return
	}
	profile, err := p.studies.Store.Profile(ctx, s.ID, name)
	if err != nil {
		p.Log.Error("a profile cannot be read", "error", err)
		return
	}
	if missing := profile.Missing(questions); len(missing) > 0 && !profile.Refused {
		told := profileState(missing, true)
		view.State = &told
	}
}

// admit stores the answers to profile questions, and continues.
func (p *Pages) admit(w http.ResponseWriter, r *http.Request) {
	if !parse(w, r) {
		return
	}
	v, after := visitorOf(r), r.PostFormValue("after") == yes
	s, err := p.study(r)
	if err != nil {
		p.tell(w, r, v, err)
		return
	}
	if greets(s, v) {
		p.page(w, r, v, s, respondView{State: welcome()})
		return
	}
	err = p.admitVisitor(r, s, v, after)
	if errors.Is(err, study.ErrInvalid) {
		told := profileState(s.ProfileQuestions(after), after)
		told.Status = http.StatusUnprocessableEntity
		p.page(w, r, v, s, respondView{State: &told, Notice: "profile"})
		return
	}
	if err != nil {
		p.tell(w, r, v, err)
		return
	}
	if v.Kept {
		p.goOn(w, r, v, s, "")
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
	_, err := p.studies.Dispatch.Admit(r.Context(), s.ID, v.Name, v.Key, after, answers)
	return err
}

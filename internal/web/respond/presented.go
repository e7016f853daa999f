package respond

import (
	"context"
	"net/http"

	"bestpick/internal/problems"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// A presented is the owner's presentation of a study for one respondent.
type presented struct {
	study.Texts

	Privacy string
	Logo    string // path of a picture
	Accent  string // six hexadecimal digits
	Leave   string // address to continue at, if the respondent is done
	Minutes int    // that the questions take
}

// presentedOf returns the presentation of a study in a language, without an address to continue at.
func presentedOf(s study.Study, language string) presented {
	shown := presented{Texts: s.Page.In(language), Privacy: s.Page.Privacy, Logo: Logo(s), Minutes: page.Minutes(s.Settings.Each)}
	if s.Page.Accent != "" {
		shown.Accent = s.Page.Accent[1:]
	}
	return shown
}

// Logo returns the path of a study's logo, or an empty text.
func Logo(s study.Study) string {
	if s.Page.Logo == "" {
		return ""
	}
	return study.PictureAddress(s.ID, study.Picture{Hash: s.Page.Logo}.Name())
}

// present adds the owner's presentation to a view. Respondents who have answered all questions, or come back after
// the end of the study, get an address to continue at.
func (p *Pages) present(ctx context.Context, s study.Study, v visitor, view *View) {
	view.Presented = presentedOf(s, view.Language)
	p.askAfter(ctx, s, v, view)
	if view.Question != nil && view.Presented.Prompt != "" {
		view.Question.Prompt = view.Presented.Prompt
	}
	if view.State == nil || s.Page.Redirect == "" {
		return
	}
	if kind := view.State.Kind; kind == problems.Of(study.CodeEnough).Page.Kind || kind == problems.Of(study.CodeDone).Page.Kind && v.Kept {
		name, err := p.respondentOf(ctx, s, v)
		if err != nil {
			name = v.Name
		}
		view.Presented.Leave = s.Page.Leave(name)
	}
}

// respondentOf returns the name under which a visitor answers: for members of a panel, the member's.
func (p *Pages) respondentOf(ctx context.Context, s study.Study, v visitor) (string, error) {
	if v.Key == "" {
		return v.Name, nil
	}
	member, err := p.Live.Member(ctx, s, study.HashKey(v.Key))
	return member.Name, err
}

// greets reports whether a respondent first sees the welcome of a study.
func greets(s study.Study, v visitor) bool {
	return s.State == study.Open && !v.Begun && !(s.Panel && v.Key == "") && s.Page.Greets()
}

// welcome returns the state before the first question.
func welcome() *state { return &state{Page: problems.Page{Kind: stateWelcome, Status: http.StatusOK}} }

// begin asks the first question, if the respondent has given the consent that the owner asks for.
func (p *Pages) begin(w http.ResponseWriter, r *http.Request) {
	if !page.ParseForm(w, r) {
		return
	}
	v := visitorOf(r)
	s, err := p.study(r)
	if err != nil {
		p.showError(w, r, v, err)
		return
	}
	if s.Page.Asks() && r.PostFormValue("consent") != page.Yes {
		shownState := state{Page: problems.Page{Kind: stateWelcome, Status: http.StatusUnprocessableEntity}}
		p.showPage(w, r, v, s, View{State: &shownState, Notice: "consent"})
		return
	}
	v.Begun = true
	if v.Kept {
		p.keep(w, s, begunCookie, page.Yes, keepName)
		p.redirectToQuestion(w, r, v, s, "")
		return
	}
	lease, err := p.ask(r.Context(), s.ID, v)
	p.leased(w, r, v, lease, err)
}

package setup

import (
	"net/http"

	"bestpick/internal/access"
	"bestpick/internal/problems"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/owner"
	"bestpick/internal/web/page"
	"bestpick/internal/web/respond"
)

// Pages serves the pages on which owners change studies.
type Pages struct {
	*page.Site

	Store   study.Store
	Live    *live.Studies
	Owner   *owner.Owner
	Respond *respond.Pages
}

// Actions on a study. Their names are in addresses and message keys.
const (
	openAction        = "open"
	pauseAction       = "pause"
	closeAction       = "close"
	addAction         = "add"
	contextsAction    = "contexts"
	priorAction       = "prior"
	removePriorAction = "remove-prior"
	withdrawAction    = "withdraw"
	excludeAction     = "exclude"
	deleteAction      = "delete"
	presentAction     = "present"
	cardsAction       = "cards"
	profileAction     = "profile"
	publishAction     = "publish"
	unpublishAction   = "unpublish"
	panelAction       = "panel"
)

// An actionView is a page that asks for confirmation or input before a study is changed.
type actionView struct {
	page.OwnerView

	Action   string
	Chosen   string
	Study    study.Study
	Pasted   string
	Markdown bool   // the format of contexts
	Arm      string // the ID of the arm to withdraw
	ArmName  string
	Conflict bool     // another owner has changed the study
	Problems []string // of the form
}

// Address returns the address of a path below the study's page.
func (v actionView) Address(path string) string {
	return page.StudyAddress(v.Study.ID, path, "lang", v.Chosen)
}

// actionView returns the data of the page of an action.
func (p *Pages) actionView(r *http.Request, who access.Token, action string) (actionView, error) {
	s, err := p.StudyOf(r)
	return actionView{OwnerView: p.OwnerView(r, who), Action: action, Chosen: r.FormValue("lang"), Study: s}, err
}

// showAction shows the page of an action.
func (p *Pages) showAction(w http.ResponseWriter, _ *http.Request, status int, v actionView) error {
	return p.Show(w, status, "ask", page.Whole, v)
}

// refuse redirects to the study's page with the reason why an action was refused, or returns the error.
func (p *Pages) refuse(w http.ResponseWriter, r *http.Request, id string, err error) error {
	if why := problems.Of(study.Coded(err).Code).Refuse; why != "" {
		return p.RedirectToStudy(w, r, id, why)
	}
	return err
}

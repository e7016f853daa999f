// Package setup serves the pages on which owners set up and change studies: the form of a study, its options, panel,
// presentation and profile questions, and its states.
package setup

import (
	"bytes"
	"net/http"

	"bestpick/examples"
	"bestpick/internal/access"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/problems"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/owner"
	"bestpick/internal/web/page"
	"bestpick/internal/web/respond"
	"bestpick/strategy/racing"
)

// Register registers the pages.
func (p *Pages) Register() {
	p.registerNew()
	p.registerEdit()
	p.registerPresentation()
	p.registerCards()
	p.registerProfile()
	p.HandleOwners("POST "+page.StudiesPath+"{study}/duplicate", p.duplicate)
	p.HandleOwners("POST "+page.NewPath+"/sample", p.sample)
	p.registerPanel()
	p.registerActions()
	p.registerUploads()
}

// duplicate creates a draft with the options, settings and texts of a study, and shows its form.
func (p *Pages) duplicate(w http.ResponseWriter, r *http.Request, who access.Token) error {
	s, err := p.StudyOf(r)
	if err != nil {
		return err
	}
	created, err := p.Owner.Duplicate(r.Context(), s.ID, p.WordsOf(r).Must("duplicate.name", "name", s.Name))
	if err != nil {
		return err
	}
	p.RecordCreated(r, who, created.ID, "a copy of "+s.ID)
	return p.Redirect(w, r, page.StudyAddress(created.ID, "/edit"))
}

// sample creates a draft with twelve lamps.
func (p *Pages) sample(w http.ResponseWriter, r *http.Request, who access.Token) error {
	lamps := bytes.NewReader(examples.Lamps())
	arms, err := archive.OpenUpload(read.Upload{Name: "lamps.csv", Contents: lamps, Size: lamps.Size()}, catalogue.Options{}, 0)
	if err != nil {
		return err
	}
	form, words := newForm(), p.WordsOf(r)
	settings := form.settings(words, newSettings(arms.Arms.Len()), basisOf(&arms.Catalogue, racing.Settings{}))
	created, err := p.createDraft(r.Context(), words.Must("sample.name"), words.Must("sample.prompt"), settings, sentArms{Encoded: arms}, study.CardContent{})
	if err != nil {
		return err
	}
	p.RecordCreated(r, who, created.ID, "the sample")
	return p.Redirect(w, r, page.StudyAddress(created.ID, ""))
}

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

package setup

import (
	"net/http"

	"bestpick/internal/access"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// askPage is the name of the page of an askView.
const askPage = "ask"

// An askView is a page that asks for confirmation or input before a study is changed.
type askView struct {
	page.OwnerView

	Deed     string
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
func (v askView) Address(path string) string { return page.StudyAddress(v.Study, path, v.Chosen) }

// askView returns the data of a confirmation page.
func (p *Pages) askView(r *http.Request, who access.Token, deed string) (askView, error) {
	id := r.PathValue("study")
	if !page.IsText(id) {
		return askView{}, study.ErrNotFound
	}
	s, err := p.Store.Study(r.Context(), id)
	if err != nil {
		return askView{}, err
	}
	return askView{OwnerView: p.OwnerView(r, who), Deed: deed, Chosen: r.FormValue("lang"), Study: s}, nil
}

// askFor shows a confirmation page.
func (p *Pages) askFor(w http.ResponseWriter, r *http.Request, who access.Token, deed string) {
	v, err := p.askView(r, who, deed)
	if err != nil {
		p.Fail(w, r, who, err)
		return
	}
	if deed == withdrawDeed {
		arms, err := p.Live.Arms(r.Context(), v.Study)
		if err != nil {
			p.Fail(w, r, who, err)
			return
		}
		v.Arm = r.FormValue("arm")
		number, known := arms.Arms.Index(v.Arm)
		if !known {
			p.Fail(w, r, who, study.ErrNotFound)
			return
		}
		v.ArmName = statement.ArmName(arms, arms.Card(number))
	}
	p.Show(w, http.StatusOK, askPage, page.Whole, v)
}

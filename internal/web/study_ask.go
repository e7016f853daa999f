package web

import (
	"net/http"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
)

// An askView is a page that asks for confirmation or input before a study is changed.
type askView struct {
	ownerView

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
func (v askView) Address(path string) string {
	return studyView{Progress: overview.Progress{Study: v.Study}, Chosen: v.Chosen}.Address(path)
}

// askView returns the data of a confirmation page.
func (p *Pages) askView(r *http.Request, who access.Token, deed string) (askView, error) {
	id := r.PathValue("study")
	if !isText(id) {
		return askView{}, study.ErrNotFound
	}
	s, err := p.studies.Store.Study(r.Context(), id)
	if err != nil {
		return askView{}, err
	}
	return askView{ownerView: p.ownerView(r, who), Deed: deed, Chosen: r.FormValue("lang"), Study: s}, nil
}

// askFor shows a confirmation page.
func (p *Pages) askFor(w http.ResponseWriter, r *http.Request, who access.Token, deed string) {
	v, err := p.askView(r, who, deed)
	if err != nil {
		p.fail(w, r, who, err)
		return
	}
	if deed == withdrawDeed {
		arms, err := p.studies.Live.Arms(r.Context(), v.Study)
		if err != nil {
			p.fail(w, r, who, err)
			return
		}
		v.Arm = r.FormValue("arm")
		number, known := arms.Arms.Index(v.Arm)
		if !known {
			p.fail(w, r, who, study.ErrNotFound)
			return
		}
		v.ArmName = armName(arms, arms.Card(number))
	}
	p.show(w, http.StatusOK, askPage, "layout", v)
}

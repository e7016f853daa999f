package web

import (
	"net/http"

	"bestpick/study"
)

// An askView is a page that asks back, or for something, before a study is changed.
type askView struct {
	words

	Deed     string
	Chosen   string
	Study    study.Study
	Name     string // as typed
	Prompt   string
	Pasted   string
	Arm      string // to be withdrawn: its id
	ArmName  string
	Conflict bool     // somebody else was faster
	Problems []string // what is wrong with what was sent
}

// Address is where something of the study is.
func (v askView) Address(path string) string {
	return studyView{Progress: study.Progress{Study: v.Study}, Chosen: v.Chosen}.Address(path)
}

// askView reads what a page that asks back has to know.
func (p *Pages) askView(r *http.Request, deed string) (askView, error) {
	id := r.PathValue("study")
	if !isText(id) {
		return askView{}, study.ErrNotFound
	}
	s, err := p.studies.Study(r.Context(), id)
	if err != nil {
		return askView{}, err
	}
	chosen := r.FormValue("lang")
	return askView{words: p.languages.of(r, chosen), Deed: deed, Chosen: chosen, Study: s, Name: s.Name, Prompt: s.Prompt}, nil
}

// askFor shows the page that asks back.
func (p *Pages) askFor(w http.ResponseWriter, r *http.Request, deed string) {
	v, err := p.askView(r, deed)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	if deed == deleteDeed {
		v.Name = ""
	}
	if deed == withdrawDeed {
		arms, err := p.studies.Arms(r.Context(), v.Study)
		if err != nil {
			p.fail(w, r, err)
			return
		}
		v.Arm = r.FormValue("arm")
		number, known := arms.Arms.Index(v.Arm)
		if !known {
			p.fail(w, r, study.ErrNotFound)
			return
		}
		v.ArmName = armName(arms, arms.Card(number))
	}
	p.show(w, http.StatusOK, askPage, "layout", v)
}

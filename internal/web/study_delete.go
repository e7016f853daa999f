package web

import (
	"net/http"
	"strconv"
	"strings"

	"bestpick/internal/access"
)

// delete deletes a study if its name was typed.
func (p *Pages) delete(w http.ResponseWriter, r *http.Request, who access.Token) {
	if !parse(w, r) {
		return
	}
	v, err := p.askView(r, who, deleteDeed)
	if err != nil {
		p.fail(w, r, who, err)
		return
	}
	if strings.TrimSpace(r.PostFormValue("name")) != strings.TrimSpace(v.Study.Name) {
		v.Problems = []string{v.must("delete.wrong-name")}
		p.show(w, http.StatusUnprocessableEntity, askPage, "layout", v)
		return
	}
	version, _ := strconv.Atoi(r.PostFormValue("version")) // 0 matches no version
	if err := p.studies.Owner.Delete(r.Context(), v.Study.ID, max(1, version)); err != nil {
		p.refuseAction(w, r, who, v.Study.ID, err)
		return
	}
	p.record(r.Context(), who, "delete-study", v.Study.ID, "")
	p.goTo(w, r, "/")
}

package setup

import (
	"net/http"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/web/page"
)

// delete deletes a study if its name was typed.
func (p *Pages) delete(w http.ResponseWriter, r *http.Request, who access.Token) {
	if !page.ParseForm(w, r) {
		return
	}
	v, err := p.askView(r, who, deleteDeed)
	if err != nil {
		p.Fail(w, r, who, err)
		return
	}
	if strings.TrimSpace(r.PostFormValue("name")) != strings.TrimSpace(v.Study.Name) {
		v.Problems = []string{v.Must("delete.wrong-name")}
		p.Show(w, http.StatusUnprocessableEntity, askPage, page.Whole, v)
		return
	}
	version, _ := strconv.Atoi(r.PostFormValue("version")) // 0 matches no version
	if err := p.Owner.Delete(r.Context(), v.Study.ID, max(1, version)); err != nil {
		p.refuseAction(w, r, who, v.Study.ID, err)
		return
	}
	p.Record(r.Context(), who, "delete-study", v.Study.ID, "")
	p.Redirect(w, r, "/")
}

package web

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/problems"
	"bestpick/internal/study"
	"bestpick/internal/uploads"
)

// setContexts sets the contexts of a draft from a file or a pasted table.
func (p *Pages) setContexts(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, upload, done := p.askUpload(w, r, who, contextsDeed)
	if done == nil {
		return
	}
	defer done()
	upload.Limits = uploads.Contexts()
	format := archive.PlainText
	if v.Markdown {
		format = archive.Markdown
	}
	version, _ := strconv.Atoi(r.PostFormValue("version")) // 0 matches no version
	count := 0
	_, err := p.studies.Owner.SetContexts(r.Context(), v.Study.ID, max(1, version), func(arms *archive.Catalogue) (*archive.Contexts, error) {
		contexts, err := arms.ReadContexts(upload, format)
		if err != nil {
			return nil, &fileError{err}
		}
		count = len(contexts.Names)
		return contexts, nil
	})
	file, wrong := errors.AsType[*fileError](err)
	switch {
	case wrong:
		v.Problems = problemsOf(file.error)
		p.show(w, http.StatusUnprocessableEntity, askPage, "layout", v)
	case errors.Is(err, study.ErrChanged):
		v.Conflict = true
		p.show(w, http.StatusConflict, askPage, "layout", v)
	case errors.Is(err, study.ErrStarted):
		p.backTo(w, r, v.Study.ID, problems.Overtaken)
	case err != nil:
		p.refuseAction(w, r, who, v.Study.ID, err)
	default:
		p.record(r.Context(), who, "set-contexts", v.Study.ID, fmt.Sprintf("%d contexts", count))
		p.backTo(w, r, v.Study.ID, contextsDeed)
	}
}

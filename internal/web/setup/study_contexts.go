package setup

import (
	"net/http"
	"strconv"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
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
	_, err := p.Owner.SetContexts(r.Context(), v.Study.ID, max(1, version), func(arms *archive.Catalogue) (*archive.Contexts, error) {
		contexts, err := arms.ReadContexts(upload, format)
		if err != nil {
			return nil, &fileError{err}
		}
		count = len(contexts.Names)
		return contexts, nil
	})
	p.uploaded(w, r, who, v, "set-contexts", access.Counted(count, "context"), err)
}

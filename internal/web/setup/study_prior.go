package setup

import (
	"context"
	"net/http"
	"strconv"

	"bestpick/choice"
	"bestpick/internal/access"
	"bestpick/internal/recorded"
	"bestpick/internal/uploads"
)

// setPrior sets the prior of a draft from a file or a pasted table.
func (p *Pages) setPrior(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, upload, done := p.askUpload(w, r, who, priorDeed)
	if done == nil {
		return
	}
	defer done()
	upload.Limits = uploads.Prior()
	version, _ := strconv.Atoi(r.PostFormValue("version")) // 0 matches no version
	changed, err := p.Owner.SetPrior(r.Context(), v.Study.ID, max(1, version), func(arms *choice.Catalogue, offer choice.Offer) (*choice.Tally, error) {
		tally, err := recorded.UploadedTally(upload, arms, offer)
		if err != nil {
			return nil, &fileError{err}
		}
		return tally, nil
	})
	p.uploaded(w, r, who, v, "set-prior", access.Counted(changed.Settings.Choices(), "choice"), err)
}

// removePrior removes the prior of a draft.
func (p *Pages) removePrior(w http.ResponseWriter, r *http.Request, who access.Token) {
	p.change(w, r, who, noPriorDeed, noPriorDeed, func(ctx context.Context, id string, version int) (string, error) {
		_, err := p.Owner.RemovePrior(ctx, id, version)
		return "", err
	})
}

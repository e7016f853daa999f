package setup

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"bestpick/choice"
	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/problems"
	"bestpick/internal/recorded"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/table"
	"bestpick/internal/web/page"
)

// registerUploads registers the actions that change a study by a file or a pasted table.
func (p *Pages) registerUploads() {
	p.handleUpload(addAction, "add-arms", p.addArms)
	p.handleUpload(contextsAction, "set-contexts", p.setContexts)
	p.handleUpload(priorAction, "set-prior", p.setPrior)
}

// A fileError is about a submitted file.
type fileError struct{ error }

// handleUpload registers an action that changes a study by a file or a pasted table. It records the change in the audit
// log and redirects to the study's page, or shows the problems on the page of the action.
func (p *Pages) handleUpload(
	action, operation string,
	change func(ctx context.Context, v actionView, version int, upload read.Upload) (detail string, err error),
) {
	p.HandleOwners("POST "+page.StudiesPath+"{study}/"+action, func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		return p.upload(w, r, who, action, p.showAction, func(v actionView, upload read.Upload) error {
			version, _ := page.Version(r) // 0 matches no version
			detail, err := change(r.Context(), v, max(1, version), upload)
			file, wrong := errors.AsType[*fileError](err)
			switch {
			case wrong:
				v.Problems = problemLines(v.Words, file.error)
				return p.showAction(w, r, http.StatusUnprocessableEntity, v)
			case errors.Is(err, study.ErrInvalid):
				v.Problems = []string{study.Coded(err).Error()}
				return p.showAction(w, r, http.StatusUnprocessableEntity, v)
			case errors.Is(err, study.ErrChanged):
				v.Conflict = true
				return p.showAction(w, r, http.StatusConflict, v)
			case errors.Is(err, study.ErrStarted):
				return p.RedirectToStudy(w, r, v.Study.ID, problems.Overtaken)
			case err != nil:
				return p.refuse(w, r, v.Study.ID, err)
			}
			p.Record(r.Context(), who, operation, v.Study.ID, detail)
			return p.RedirectToStudy(w, r, v.Study.ID, action)
		})
	})
}

// upload reads a form with a file or a pasted table, and calls do. A form without either is refused.
func (p *Pages) upload(
	w http.ResponseWriter, r *http.Request, who access.Token, action string,
	refuse func(w http.ResponseWriter, r *http.Request, status int, v actionView) error, do func(actionView, read.Upload) error,
) error {
	done, err := page.ParseUpload(w, r, p.MaxUpload)
	defer done()
	if err != nil {
		return page.ErrUnreadable
	}
	v, err := p.actionView(r, who, action)
	if err != nil {
		return err
	}
	v.Pasted, v.Markdown = r.PostFormValue("pasted"), r.PostFormValue("format") == string(archive.Markdown)
	if header := page.File(r, "file"); header != nil && study.IsText(header.Filename) {
		file, err := header.Open()
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // it was only read
		return do(v, read.Upload{Name: header.Filename, Contents: file, Size: header.Size, Limits: table.ArmsLimits(p.MaxUpload)})
	}
	if strings.TrimSpace(v.Pasted) == "" {
		v.Problems = []string{v.Must("add.nothing")}
		return refuse(w, r, http.StatusUnprocessableEntity, v)
	}
	pasted := strings.NewReader(v.Pasted) // from a spreadsheet, with tabs, or as CSV
	return do(v, read.Upload{Name: "pasted.csv", Contents: pasted, Size: pasted.Size(), Limits: table.ArmsLimits(p.MaxUpload)})
}

// addArms adds arms from a table.
func (p *Pages) addArms(ctx context.Context, v actionView, version int, upload read.Upload) (detail string, err error) {
	add := func(arms *archive.Catalogue) (*archive.Catalogue, error) {
		more, pictures, err := owner.File{Upload: upload}.OpenMore(ctx, arms)
		if err != nil {
			return nil, &fileError{err}
		}
		return &more.Catalogue, p.Owner.AddPictures(ctx, v.Study.ID, pictures)
	}
	changed, err := p.Owner.AddArms(ctx, v.Study.ID, version, add)
	return access.Counted(changed.Arms, "option"), err
}

// setContexts sets the contexts of a draft.
func (p *Pages) setContexts(ctx context.Context, v actionView, version int, upload read.Upload) (detail string, err error) {
	upload.Limits = table.ContextsLimits()
	format := archive.PlainText
	if v.Markdown {
		format = archive.Markdown
	}
	count := 0
	_, err = p.Owner.SetContexts(ctx, v.Study.ID, version, func(arms *archive.Catalogue) (*archive.Contexts, error) {
		contexts, err := arms.ReadContexts(upload, format)
		if err != nil {
			return nil, &fileError{err}
		}
		count = len(contexts.Names)
		return contexts, nil
	})
	return access.Counted(count, "context"), err
}

// setPrior sets the prior of a draft.
func (p *Pages) setPrior(ctx context.Context, v actionView, version int, upload read.Upload) (detail string, err error) {
	upload.Limits = table.PriorLimits()
	tally := func(arms *choice.Catalogue, offer choice.Offer) (*choice.Tally, error) {
		tally, err := recorded.UploadedTally(upload, arms, offer)
		if err != nil {
			return nil, &fileError{err}
		}
		return tally, nil
	}
	changed, err := p.Owner.SetPrior(ctx, v.Study.ID, version, tally)
	return access.Counted(changed.Settings.Choices(), "choice"), err
}

package setup

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/problems"
	"bestpick/internal/study"
	"bestpick/internal/uploads"
	"bestpick/internal/web/page"
)

// maxLines is the maximum number of problems that is shown.
const maxLines = 20

// askUpload reads a form with a file or a pasted table. It answers a form that it cannot read, and returns nil for done;
// otherwise done removes the temporary files.
func (p *Pages) askUpload(w http.ResponseWriter, r *http.Request, who access.Token, deed string) (v askView, upload read.Upload, done func()) {
	remove, err := page.ParseUpload(w, r, p.MaxUpload)
	if err != nil {
		remove()
		page.Unreadable(w)
		return v, upload, nil
	}
	v, err = p.askView(r, who, deed)
	if err != nil {
		remove()
		p.Fail(w, r, who, err)
		return v, upload, nil
	}
	v.Pasted, v.Markdown = r.PostFormValue("pasted"), r.PostFormValue("format") == string(archive.Markdown)
	upload, closing, err := p.upload(r, v.Pasted)
	if err != nil {
		remove()
		v.Problems = []string{v.Must("add.nothing")}
		if deed == panelDeed {
			p.showPanel(w, r, http.StatusUnprocessableEntity, panelView{askView: v})
		} else {
			p.Show(w, http.StatusUnprocessableEntity, askPage, page.Whole, v)
		}
		return v, upload, nil
	}
	return v, upload, func() {
		closing()
		remove()
	}
}

// addArms adds arms from a file or a pasted table.
func (p *Pages) addArms(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, upload, done := p.askUpload(w, r, who, addDeed)
	if done == nil {
		return
	}
	defer done()
	version, _ := strconv.Atoi(r.PostFormValue("version"))                                                                                // 0 matches no version
	changed, err := p.Owner.AddArms(r.Context(), v.Study.ID, max(1, version), func(arms *archive.Catalogue) (*archive.Catalogue, error) { //nolint:contextcheck // it uses the context of the request
		table, files, err := archive.Unbundle(upload)
		if err != nil {
			return nil, &fileError{err}
		}
		more, err := arms.Add(table, catalogue.Options{})
		if err != nil {
			return nil, &fileError{err}
		}
		pictures, err := more.AttachPictures(files)
		if err != nil {
			return nil, &fileError{err}
		}
		if err := p.Owner.AddPictures(r.Context(), v.Study.ID, pictures); err != nil {
			return nil, err
		}
		return &more.Catalogue, nil
	})
	p.uploaded(w, r, who, v, "add-arms", access.Counted(changed.Arms, "option"), err)
}

// uploaded replies to a form with a table: it shows problems on its page, or records the change in the
// audit log and redirects to the study's page.
func (p *Pages) uploaded(w http.ResponseWriter, r *http.Request, who access.Token, v askView, operation, detail string, err error) {
	file, wrong := errors.AsType[*fileError](err)
	switch {
	case wrong:
		v.Problems = problemsOf(file.error)
		p.Show(w, http.StatusUnprocessableEntity, askPage, page.Whole, v)
	case errors.Is(err, study.ErrInvalid):
		v.Problems = []string{study.Coded(err).Error()}
		p.Show(w, http.StatusUnprocessableEntity, askPage, page.Whole, v)
	case errors.Is(err, study.ErrChanged):
		v.Conflict = true
		p.Show(w, http.StatusConflict, askPage, page.Whole, v)
	case errors.Is(err, study.ErrStarted):
		p.RedirectToStudy(w, r, v.Study.ID, problems.Overtaken)
	case err != nil:
		p.refuseAction(w, r, who, v.Study.ID, err)
	default:
		p.Record(r.Context(), who, operation, v.Study.ID, detail)
		p.RedirectToStudy(w, r, v.Study.ID, v.Deed)
	}
}

// A fileError is about a submitted file.
type fileError struct{ error }

// errNothing is for forms with neither file nor table.
var errNothing = errors.New("web: neither a file nor a table was submitted")

// upload returns the chosen file, or else the pasted table.
func (p *Pages) upload(r *http.Request, text string) (read.Upload, func(), error) {
	file, header, err := r.FormFile("file")
	if err == nil && header.Filename != "" && page.IsText(header.Filename) {
		u := read.Upload{Name: header.Filename, Contents: file, Size: header.Size, Limits: uploads.Arms(p.MaxUpload)}
		return u, func() { _ = file.Close() }, nil // it was only read
	}
	if strings.TrimSpace(text) == "" {
		return read.Upload{}, nil, errNothing
	}
	return p.pasted(text), func() {}, nil
}

// problemsOf returns the problems of a file, one per line.
func problemsOf(err error) (lines []string) {
	list := []error{err}
	if several, ok := errors.AsType[*catalogue.Problems](err); ok {
		list = several.List
	}
	for i, one := range list {
		if i == maxLines {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, one.Error())
	}
	return lines
}

// pasted returns a pasted table: from a spreadsheet, with tabs, or as CSV.
func (p *Pages) pasted(text string) read.Upload {
	reader := strings.NewReader(text)
	return read.Upload{Name: "pasted.csv", Contents: reader, Size: reader.Size(), Limits: uploads.Arms(p.MaxUpload)}
}

package setup

import (
	"errors"
	"net/http"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/internal/web/page"
)

// A partView is a page on which an owner changes one part of a study.
type partView struct {
	page.OwnerView

	Study    study.Study // with the part as it was typed
	Version  int         // that the owner has seen
	Problem  string
	Conflict bool // another owner has changed the study
}

// A part is a part of a study with a page of its own.
type part struct {
	path   string // below the study's page
	action string // for the message on the study's page
	detail string // for the audit log
	files  bool   // the form may have files
	look   string // the template of the preview; empty without one

	// read sets the part of a study from a form. It returns the message of a problem, or an empty text.
	read func(r *http.Request, v *partView) (problem string, err error)

	// set copies the part from the study of the page.
	set func(to *study.Study, typed study.Study)

	// wrong returns the message for a part that is refused.
	wrong func(v partView, err *study.Error) string

	// show shows the page, or its preview.
	show func(w http.ResponseWriter, r *http.Request, status int, shown string, v partView) error
}

// handlePart registers the page of a part.
func (p *Pages) handlePart(c part) {
	path := page.StudiesPath + "{study}/" + c.path
	p.HandleOwners("GET "+path, func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		s, err := p.StudyOf(r)
		if err != nil {
			return err
		}
		return c.show(w, r, http.StatusOK, page.Whole, partView{OwnerView: p.OwnerView(r, who), Study: s, Version: s.Version})
	})
	p.HandleOwners("POST "+path, func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		v, done, err := p.typedPart(w, r, who, c)
		defer done()
		if err != nil {
			return err
		}
		before := v.Study.Version
		if v.Problem == "" {
			_, err = p.Owner.Change(r.Context(), v.Study.ID, v.Version, func(s *study.Study) error {
				c.set(s, v.Study)
				return nil
			})
		}
		switch {
		case errors.Is(err, study.ErrChanged):
			v.Conflict, v.Version = true, before
			return c.show(w, r, http.StatusConflict, page.Whole, v)
		case errors.Is(err, study.ErrInvalid):
			v.Problem = c.wrong(v, study.Coded(err))
		case err != nil:
			return err
		}
		if v.Problem != "" {
			return c.show(w, r, http.StatusUnprocessableEntity, page.Whole, v)
		}
		p.Record(r.Context(), who, "change-study", v.Study.ID, c.detail)
		return p.RedirectToStudy(w, r, v.Study.ID, c.action)
	})
	if c.look == "" {
		return
	}
	looked := c
	looked.files = false
	p.HandleOwners("POST "+path+"/look", func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		shown := page.Whole
		if page.WantsPart(r) {
			shown = c.look
		}
		v, _, err := p.typedPart(w, r, who, looked)
		if err != nil {
			return err
		}
		return c.show(w, r, http.StatusOK, shown, v)
	})
}

// typedPart returns the page with the part of a submitted form. done removes temporary files.
func (p *Pages) typedPart(w http.ResponseWriter, r *http.Request, who access.Token, c part) (v partView, done func(), err error) {
	done = func() {}
	if c.files {
		done, err = page.ParseUpload(w, r, table.MaxUploadBytes)
	} else {
		err = page.ParseForm(w, r)
	}
	version, known := page.Version(r)
	if err != nil || !known {
		return v, done, page.ErrUnreadable
	}
	s, err := p.StudyOf(r)
	v = partView{OwnerView: p.OwnerView(r, who), Study: s, Version: version}
	if err == nil {
		v.Problem, err = c.read(r, &v)
	}
	return v, done, err
}

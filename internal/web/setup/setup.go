// Package setup serves the pages on which owners set up and change studies: the form of a study, its options, panel,
// presentation and profile questions, and its states.
package setup

import (
	"bytes"
	"net/http"

	"bestpick/examples"
	"bestpick/internal/access"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
	"bestpick/strategy/racing"
)

// Register registers the pages.
func (p *Pages) Register() {
	p.registerNew()
	p.registerEdit()
	p.registerPresentation()
	p.registerCards()
	p.registerProfile()
	p.HandleOwners("POST "+page.StudiesPath+"{study}/duplicate", p.duplicate)
	p.HandleOwners("POST "+page.NewPath+"/sample", p.sample)
	p.registerPanel()
	p.registerActions()
	p.registerUploads()
}

// duplicate creates a draft with the options, settings and texts of a study, and shows its form.
func (p *Pages) duplicate(w http.ResponseWriter, r *http.Request, who access.Token) error {
	s, err := p.StudyOf(r)
	if err != nil {
		return err
	}
	created, err := p.Owner.Duplicate(r.Context(), s.ID, p.WordsOf(r).Must("duplicate.name", "name", s.Name))
	if err != nil {
		return err
	}
	p.RecordCreated(r, who, created.ID, "a copy of "+s.ID)
	return p.Redirect(w, r, page.StudyAddress(created.ID, "/edit"))
}

// sample creates a draft with twelve lamps.
func (p *Pages) sample(w http.ResponseWriter, r *http.Request, who access.Token) error {
	lamps := bytes.NewReader(examples.Lamps())
	arms, err := archive.OpenUpload(read.Upload{Name: "lamps.csv", Contents: lamps, Size: lamps.Size()}, catalogue.Options{}, 0)
	if err != nil {
		return err
	}
	form, words := newForm(), p.WordsOf(r)
	settings := form.settings(words, newSettings(arms.Arms.Len()), basisOf(&arms.Catalogue, racing.Settings{}))
	created, err := p.createDraft(r.Context(), words.Must("sample.name"), words.Must("sample.prompt"), settings,
		sentArms{Encoded: arms}, study.CardContent{})
	if err != nil {
		return err
	}
	p.RecordCreated(r, who, created.ID, "the sample")
	return p.Redirect(w, r, page.StudyAddress(created.ID, ""))
}

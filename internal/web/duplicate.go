package web

import (
	"bytes"
	"net/http"
	"net/url"

	"bestpick/examples"
	"bestpick/internal/access"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/strategy/racing"
)

// registerCopies registers the ways to create a study without a form.
func (p *Pages) registerCopies() {
	p.mux.HandleFunc("POST "+studiesPath+"{study}/duplicate", p.signedIn(access.Owner, p.duplicate))
	p.mux.HandleFunc("POST "+newPath+"/sample", p.signedIn(access.Owner, p.sample))
}

// duplicate creates a draft with the options, settings and texts of a study, and shows its form.
func (p *Pages) duplicate(w http.ResponseWriter, r *http.Request, who access.Token) {
	s, err := p.studyOf(r)
	if err != nil {
		p.missing(w, r, who, err)
		return
	}
	created, err := p.studies.Owner.Duplicate(r.Context(), s.ID, p.wordsOf(r).must("duplicate.name", "name", s.Name))
	if err != nil {
		p.missing(w, r, who, err)
		return
	}
	p.record(r.Context(), who, "create-study", created.ID, "a copy of "+s.ID)
	p.goTo(w, r, studiesPath+url.PathEscape(created.ID)+"/edit")
}

// sample creates a draft with twelve lamps.
func (p *Pages) sample(w http.ResponseWriter, r *http.Request, who access.Token) {
	lamps := bytes.NewReader(examples.Lamps())
	arms, err := archive.OpenUpload(read.Upload{Name: "lamps.csv", Contents: lamps, Size: lamps.Size()}, catalogue.Options{}, 0)
	if err != nil {
		p.failed(w, r, err)
		return
	}
	form, words := newForm(), p.wordsOf(r)
	settings := form.settings(words, newSettings(arms.Arms.Len()), basisOf(&arms.Catalogue, racing.Settings{}))
	created, err := p.studies.Owner.Create(r.Context(), words.must("sample.name"), words.must("sample.prompt"), settings, &arms.Catalogue)
	if err != nil {
		p.failed(w, r, err)
		return
	}
	p.record(r.Context(), who, "create-study", created.ID, "the sample")
	p.goTo(w, r, studiesPath+url.PathEscape(created.ID))
}

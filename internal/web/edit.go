package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/study"
)

// A difference is a field that another owner has changed while the page was open.
type difference struct {
	Field string // the message key of its name
	Value string // the current value
}

// registerEdit registers the pages that change a study.
func (p *Pages) registerEdit() {
	p.mux.HandleFunc("GET "+studiesPath+"{study}/edit", p.signedIn(access.Owner, func(w http.ResponseWriter, r *http.Request, who access.Token) {
		if view, ok := p.editView(w, r, who); ok {
			p.showEdit(w, r, http.StatusOK, view)
		}
	}))
	p.mux.HandleFunc("POST "+studiesPath+"{study}/edit", p.signedIn(access.Owner, p.edit))
	p.mux.HandleFunc("POST "+studiesPath+"{study}/edit/look", p.signedIn(access.Owner, func(w http.ResponseWriter, r *http.Request, who access.Token) {
		view, ok := p.typedView(w, r, who)
		if ok && p.withArms(w, r, &view) {
			view.settings(view.words, view.Study.Settings, view.Rests) // records problems
			p.show(w, http.StatusOK, "new", "looked", &view)
		}
	}))
}

// editView returns the form of the requested study.
func (p *Pages) editView(w http.ResponseWriter, r *http.Request, who access.Token) (formView, bool) {
	s, err := p.studyOf(r)
	if err != nil {
		p.missing(w, r, who, err)
		return formView{}, false
	}
	return formView{ownerView: p.ownerView(r, who), studyForm: formOf(s), Study: &s}, true
}

// studyOf returns the requested study.
func (p *Pages) studyOf(r *http.Request) (study.Study, error) {
	id := r.PathValue("study")
	if !isText(id) {
		return study.Study{}, study.ErrNotFound
	}
	return p.studies.Store.Study(r.Context(), id)
}

// missing replies that the study does not exist, or that an error occurred.
func (p *Pages) missing(w http.ResponseWriter, r *http.Request, who access.Token, err error) {
	if errors.Is(err, study.ErrNotFound) {
		p.say(w, r, who, http.StatusNotFound, "missing")
		return
	}
	p.failed(w, r, err)
}

// typedView returns the form with the submitted values.
func (p *Pages) typedView(w http.ResponseWriter, r *http.Request, who access.Token) (formView, bool) {
	if !parse(w, r) {
		return formView{}, false
	}
	view, ok := p.editView(w, r, who)
	if ok {
		view.studyForm = typedForm(r, view.studyForm, p.studies.Clock())
	}
	return view, ok
}

// withBasis adds to a form what the verdict of the study can rest on.
func (p *Pages) withBasis(w http.ResponseWriter, r *http.Request, view *formView) bool {
	arms, err := p.studies.Live.Arms(r.Context(), *view.Study)
	if err != nil {
		p.missing(w, r, view.Who, err)
		return false
	}
	view.Rests = basisOf(arms, view.Study.Settings.Strategy)
	return true
}

// withArms adds the recognised columns of the study's arms to a form, and what its verdict can rest on.
func (p *Pages) withArms(w http.ResponseWriter, r *http.Request, view *formView) bool {
	if !p.withBasis(w, r, view) {
		return false
	}
	view.Arms = view.armsView(view.words, view.Study.Settings, view.Rests.arms.Reopened())
	return true
}

func (p *Pages) showEdit(w http.ResponseWriter, r *http.Request, status int, view formView) {
	if p.withArms(w, r, &view) {
		p.showForm(w, r, status, view)
	}
}

// edit changes a study. If another owner has changed it since the page was shown, edit shows the form again, with
// those changes.
func (p *Pages) edit(w http.ResponseWriter, r *http.Request, who access.Token) {
	view, ok := p.typedView(w, r, who)
	if !ok || !p.withBasis(w, r, &view) {
		return
	}
	version, err := strconv.Atoi(r.PostFormValue("version"))
	if err != nil || version < 1 {
		http.Error(w, "the form cannot be read", http.StatusBadRequest)
		return
	}
	before := *view.Study
	settings := view.settings(view.words, before.Settings, view.Rests)
	view.checkTexts(view.words)
	if len(view.Problems) > 0 {
		p.showEdit(w, r, http.StatusUnprocessableEntity, view)
		return
	}
	changed, err := p.studies.Owner.Change(r.Context(), before.ID, version, func(s *study.Study) error {
		s.Name, s.Prompt, s.Settings = view.Name, view.Prompt, settings
		return nil
	})
	switch {
	case errors.Is(err, study.ErrChanged):
		p.overtaken(w, r, view)
	case errors.Is(err, study.ErrStarted), errors.Is(err, study.ErrNotOpen):
		view.Notice = "started"
		p.showEdit(w, r, http.StatusConflict, view)
	case errors.Is(err, study.ErrInvalid):
		view.refused(study.Coded(err))
		p.showEdit(w, r, http.StatusUnprocessableEntity, view)
	case err != nil:
		p.missing(w, r, who, err)
	default:
		if fields := changedFields(before, changed); len(fields) > 0 {
			p.record(r.Context(), who, "change-study", changed.ID, strings.Join(fields, ", "))
		}
		p.settle(w, r, who, changed)
	}
}

// overtaken shows the form again, with the changes of another owner. Submitting it again overwrites
// them.
func (p *Pages) overtaken(w http.ResponseWriter, r *http.Request, view formView) {
	view.Notice = "overtaken"
	now := formOf(*view.Study)
	for _, field := range formFields() {
		if theirs := *now.field(field); theirs != *view.field(field) {
			switch field {
			case plainField, assumeField, outsideField, tiesField, worstField:
				theirs = view.must("field." + field + "-" + theirs)
			}
			view.Theirs = append(view.Theirs, difference{"field." + field, theirs})
		}
	}
	if len(view.Theirs) == 0 { // such as opening the study
		view.Notice = "moved"
	}
	p.showEdit(w, r, http.StatusConflict, view)
}

// changedFields returns the JSON names of the fields that differ.
func changedFields(was, is study.Study) []string {
	before, after := formOf(was), formOf(is)
	var fields []string
	for _, name := range formFields() {
		if *before.field(name) == *after.field(name) {
			continue
		}
		if name != nameField && name != promptField {
			name = "settings." + name
		}
		fields = append(fields, name)
	}
	return fields
}

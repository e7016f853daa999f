package setup

import (
	"errors"
	"net/http"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// A difference is a field that another owner has changed while the page was open.
type difference struct {
	Field string // the message key of its name
	Value string // the current value
}

// registerEdit registers the pages that change a study.
func (p *Pages) registerEdit() {
	p.HandleOwners("GET "+page.StudiesPath+"{study}/edit", func(w http.ResponseWriter, r *http.Request, who access.Token) {
		if view, ok := p.editView(w, r, who); ok {
			p.showEdit(w, r, http.StatusOK, view)
		}
	})
	p.HandleOwners("POST "+page.StudiesPath+"{study}/edit", p.edit)
	p.HandleOwners("POST "+page.StudiesPath+"{study}/edit/look", func(w http.ResponseWriter, r *http.Request, who access.Token) {
		view, ok := p.typedView(w, r, who)
		if ok && p.withArms(w, r, &view) {
			view.settings(view.Words, view.Study.Settings, view.Rests) // records problems
			p.Show(w, http.StatusOK, "new", "looked", &view)
		}
	})
}

// editView returns the form of the requested study.
func (p *Pages) editView(w http.ResponseWriter, r *http.Request, who access.Token) (formView, bool) {
	s, err := p.StudyOf(r)
	if err != nil {
		p.Fail(w, r, who, err)
		return formView{}, false
	}
	return formView{OwnerView: p.OwnerView(r, who), studyForm: formOf(s), Study: &s}, true
}

// typedView returns the form with the submitted values.
func (p *Pages) typedView(w http.ResponseWriter, r *http.Request, who access.Token) (formView, bool) {
	if !page.ParseForm(w, r) {
		return formView{}, false
	}
	view, ok := p.editView(w, r, who)
	if ok {
		view.studyForm = typedForm(r, view.studyForm, p.Clock())
	}
	return view, ok
}

// withBasis adds to a form what the verdict of the study can rest on, and returns the study's arms.
func (p *Pages) withBasis(w http.ResponseWriter, r *http.Request, view *formView) (*archive.Catalogue, bool) {
	arms, err := p.Live.Arms(r.Context(), *view.Study)
	if err != nil {
		p.Fail(w, r, view.Who, err)
		return nil, false
	}
	view.Rests = basisOf(arms, view.Study.Settings.Strategy)
	return arms, true
}

// withArms adds the recognised columns of the study's arms to a form, and what its verdict can rest on.
func (p *Pages) withArms(w http.ResponseWriter, r *http.Request, view *formView) bool {
	arms, ok := p.withBasis(w, r, view)
	if ok {
		view.Arms = view.armsView(view.Words, view.Study.Settings, arms.Reopened())
	}
	return ok
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
	if !ok {
		return
	}
	if _, ok := p.withBasis(w, r, &view); !ok {
		return
	}
	version, known := page.Version(r)
	if !known {
		page.Unreadable(w)
		return
	}
	before := *view.Study
	settings := view.settings(view.Words, before.Settings, view.Rests)
	view.checkTexts(view.Words)
	if len(view.Problems) > 0 {
		p.showEdit(w, r, http.StatusUnprocessableEntity, view)
		return
	}
	changed, err := p.Owner.Change(r.Context(), before.ID, version, func(s *study.Study) error {
		s.Name, s.Prompt, s.Settings = view.Fields[nameField], view.Fields[promptField], settings
		return nil
	})
	switch {
	case errors.Is(err, study.ErrChanged):
		p.overtaken(w, r, view)
	case errors.Is(err, study.ErrStarted), errors.Is(err, study.ErrNotOpen):
		view.Notice = "started"
		p.showEdit(w, r, http.StatusConflict, view)
	case errors.Is(err, study.ErrInvalid):
		view.refused(view.Words, err)
		p.showEdit(w, r, http.StatusUnprocessableEntity, view)
	case err != nil:
		p.Fail(w, r, who, err)
	default:
		if fields := changedFields(before, changed); len(fields) > 0 {
			p.Record(r.Context(), who, "change-study", changed.ID, strings.Join(fields, ", "))
		}
		p.openAndRedirect(w, r, who, changed)
	}
}

// overtaken shows the form again, with the changes of another owner. Submitting it again overwrites
// them.
func (p *Pages) overtaken(w http.ResponseWriter, r *http.Request, view formView) {
	view.Notice = "overtaken"
	now := formOf(*view.Study)
	for _, field := range append([]string{nameField, promptField}, settingFields()...) {
		if theirs := now.Fields[field]; theirs != view.Fields[field] {
			switch field {
			case plainField, assumeField, outsideField, tiesField, worstField:
				theirs = view.Must("field." + field + "-" + theirs)
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
	for _, field := range append([]string{nameField, promptField}, settingFields()...) {
		if before.Fields[field] == after.Fields[field] {
			continue
		}
		if field != nameField && field != promptField {
			field = study.SettingsField + field
		}
		fields = append(fields, field)
	}
	return fields
}

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
	const path = page.StudiesPath + "{study}/edit"
	p.HandleOwners("GET "+path, func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		view, err := p.editView(r, who)
		if err != nil {
			return err
		}
		return p.showEdit(w, r, http.StatusOK, view)
	})
	p.HandleForm("POST "+path, p.edit)
	p.HandleForm("POST "+path+"/look", func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		view, err := p.typedView(r, who)
		if err == nil {
			err = p.addColumns(r, &view)
		}
		if err != nil {
			return err
		}
		view.settings(view.Words, view.Study.Settings, view.Rests) // records problems
		return p.Show(w, http.StatusOK, "new", "looked", &view)
	})
}

// editView returns the form of the requested study.
func (p *Pages) editView(r *http.Request, who access.Token) (formView, error) {
	s, err := p.StudyOf(r)
	return formView{OwnerView: p.OwnerView(r, who), studyForm: formOf(s), Study: &s}, err
}

// typedView returns the form with the submitted values.
func (p *Pages) typedView(r *http.Request, who access.Token) (formView, error) {
	view, err := p.editView(r, who)
	view.studyForm = typedForm(r, view.studyForm, p.Clock())
	return view, err
}

// addBasis adds to a form what the verdict of the study can rest on, and returns the study's arms.
func (p *Pages) addBasis(r *http.Request, view *formView) (*archive.Catalogue, error) {
	arms, err := p.Live.Arms(r.Context(), *view.Study)
	if err == nil {
		view.Rests, view.Contexts = basisOf(arms, view.Study.Settings.Strategy), arms.Contexts != nil
	}
	return arms, err
}

// addColumns adds the recognised columns of the study's arms to a form, and what its verdict can rest on.
func (p *Pages) addColumns(r *http.Request, view *formView) error {
	arms, err := p.addBasis(r, view)
	if err != nil {
		return err
	}
	view.Arms = view.armsView(view.Words, view.Study.Settings, arms.Reopened())
	typed := *view.Study
	typed.Prompt = view.Fields[promptField]
	unmarked := view.studyForm
	unmarked.Problems = map[string]string{}
	typed.Settings = unmarked.settings(view.Words, typed.Settings, view.Rests)
	view.Preview, err = p.Respond.Preview(r.Context(), view.Words, typed)
	return err
}

func (p *Pages) showEdit(w http.ResponseWriter, r *http.Request, status int, view formView) error {
	if err := p.addColumns(r, &view); err != nil {
		return err
	}
	return p.showForm(w, status, view)
}

// edit changes a study. If another owner has changed it since the page was shown, edit shows the form again, with
// those changes.
func (p *Pages) edit(w http.ResponseWriter, r *http.Request, who access.Token) error {
	view, err := p.typedView(r, who)
	if err == nil {
		_, err = p.addBasis(r, &view)
	}
	if err != nil {
		return err
	}
	version, known := page.Version(r)
	if !known {
		return page.ErrUnreadable
	}
	before := *view.Study
	settings := view.settings(view.Words, before.Settings, view.Rests)
	view.checkTexts(view.Words)
	if len(view.Problems) > 0 {
		return p.showEdit(w, r, http.StatusUnprocessableEntity, view)
	}
	changed, err := p.Owner.Change(r.Context(), before.ID, version, func(s *study.Study) error {
		s.Name, s.Prompt, s.Settings = view.Fields[nameField], view.Fields[promptField], settings
		return nil
	})
	switch {
	case errors.Is(err, study.ErrChanged):
		return p.overtaken(w, r, view)
	case errors.Is(err, study.ErrStarted), errors.Is(err, study.ErrNotOpen):
		view.Notice = "started"
		return p.showEdit(w, r, http.StatusConflict, view)
	case errors.Is(err, study.ErrInvalid):
		view.refused(view.Words, err)
		return p.showEdit(w, r, http.StatusUnprocessableEntity, view)
	case err != nil:
		return err
	}
	if fields := changedFields(before, changed); len(fields) > 0 {
		p.Record(r.Context(), who, "change-study", changed.ID, strings.Join(fields, ", "))
	}
	return p.openAndRedirect(w, r, who, changed)
}

// overtaken shows the form again, with the changes of another owner. Submitting it again overwrites
// them.
func (p *Pages) overtaken(w http.ResponseWriter, r *http.Request, view formView) error {
	view.Notice = "overtaken"
	now := formOf(*view.Study)
	for _, field := range append([]string{nameField, promptField}, settingFields()...) {
		if theirs := now.Fields[field]; theirs != view.Fields[field] {
			switch field {
			case plainField, assumeField, outsideField, tiesField, worstField, judgesField, audienceField:
				theirs = view.Must("field." + field + "-" + theirs)
			}
			view.Theirs = append(view.Theirs, difference{"field." + field, theirs})
		}
	}
	if len(view.Theirs) == 0 { // such as opening the study
		view.Notice = "moved"
	}
	return p.showEdit(w, r, http.StatusConflict, view)
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

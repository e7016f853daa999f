package setup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// registerActions registers the actions. Each takes the version that the owner has seen, so that
// two owners do not overwrite each other's changes.
func (p *Pages) registerActions() {
	for action, to := range map[string]study.State{openAction: study.Open, pauseAction: study.Paused, closeAction: study.Done} {
		p.handleChange(action, action, action+"-study", func(r *http.Request, id string, version int) (string, error) {
			_, err := p.Owner.SetState(r.Context(), id, version, to)
			return "", err
		})
	}
	for action, public := range map[string]bool{publishAction: true, unpublishAction: false} {
		p.handleChange(action, action, action+"-results", func(r *http.Request, id string, version int) (string, error) {
			_, err := p.Owner.Publish(r.Context(), id, version, public)
			return "", err
		})
	}
	const remove = removePriorAction
	p.handleChange(remove, remove, remove, func(r *http.Request, id string, version int) (string, error) {
		_, err := p.Owner.RemovePrior(r.Context(), id, version)
		return "", err
	})
	p.handleChange(withdrawAction, withdrawAction, "withdraw-arm", func(r *http.Request, id string, version int) (string, error) {
		arm := r.PostFormValue("arm")
		_, err := p.Owner.Withdraw(r.Context(), id, version, arm)
		return fmt.Sprintf("option %.100q", arm), err
	})
	for _, action := range []string{
		closeAction, addAction, contextsAction, priorAction, withdrawAction, excludeAction, deleteAction,
	} {
		p.HandleOwners("GET "+page.StudiesPath+"{study}/"+action, p.withAction(action, p.askFor))
	}
	p.HandleForm("POST "+page.StudiesPath+"{study}/"+excludeAction, p.withAction(excludeAction, p.exclude))
	p.HandleForm("POST "+page.StudiesPath+"{study}/"+deleteAction, p.withAction(deleteAction, p.delete))
}

// withAction returns a handler that gets the view of the page of an action.
func (p *Pages) withAction(
	action string, do func(w http.ResponseWriter, r *http.Request, v actionView) error,
) page.Handler {
	return func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		v, err := p.actionView(r, who, action)
		if err != nil {
			return err
		}
		return do(w, r, v)
	}
}

// exclude excludes the person whose name was typed.
func (p *Pages) exclude(w http.ResponseWriter, r *http.Request, v actionView) error {
	version, _ := page.Version(r) // 0 matches no version
	name := page.Typed(r, "respondent")
	if signed, ok := p.Respond.Dispatch.Named(v.Study.ID, name); ok {
		name = signed
	}
	changed, err := p.Owner.Exclude(r.Context(), v.Study.ID, max(1, version), name)
	if wrong := (*study.Error)(nil); errors.As(err, &wrong) && wrong.Code == study.CodeInvalid {
		v.Problems = []string{v.Must("exclude.refused")}
		return p.showAction(w, r, http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return p.refuse(w, r, v.Study.ID, err)
	}
	p.Record(r.Context(), v.Who, "exclude-respondent", v.Study.ID, fmt.Sprintf("%d so far", len(changed.Excluded)))
	return p.RedirectToStudy(w, r, v.Study.ID, excludeAction)
}

// handleChange registers a path that changes a study, records the change in the audit log, and redirects to the study's
// page with a message about the action.
func (p *Pages) handleChange(
	path, action, operation string, change func(r *http.Request, id string, version int) (detail string, err error),
) {
	p.HandleForm("POST "+page.StudiesPath+"{study}/"+path, func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		id := r.PathValue("study")
		version, ok := page.Version(r)
		if !ok {
			return study.ErrNotFound
		}
		detail, err := change(r, id, version)
		if err != nil {
			return p.refuse(w, r, id, err)
		}
		p.Record(r.Context(), who, operation, id, detail)
		switch share := page.StudyAddress(id, "/share", "did", action, "lang", r.FormValue("lang")); {
		case action == publishAction || action == unpublishAction:
			return p.Redirect(w, r, share+"#public-results")
		case action == openAction && r.PostFormValue("first") == page.Yes:
			return p.Redirect(w, r, share)
		}
		return p.RedirectToStudy(w, r, id, action)
	})
}

// askFor shows the page of an action.
func (p *Pages) askFor(w http.ResponseWriter, r *http.Request, v actionView) (err error) {
	if v.Action == withdrawAction {
		v.Arm = r.FormValue("arm")
		if v.ArmName, err = p.armName(r.Context(), v.Study, v.Arm); err != nil {
			return err
		}
	}
	return p.showAction(w, r, http.StatusOK, v)
}

// armName returns the display name of an arm.
func (p *Pages) armName(ctx context.Context, s study.Study, id string) (string, error) {
	arms, err := p.Live.Arms(ctx, s)
	if err != nil {
		return "", err
	}
	number, known := arms.Arms.Index(id)
	if !known {
		return "", study.ErrNotFound
	}
	return statement.ArmName(arms, arms.Card(number)), nil
}

// delete deletes a study if its name was typed.
func (p *Pages) delete(w http.ResponseWriter, r *http.Request, v actionView) error {
	if page.Typed(r, "name") != strings.TrimSpace(v.Study.Name) {
		v.Problems = []string{v.Must("delete.wrong-name")}
		return p.showAction(w, r, http.StatusUnprocessableEntity, v)
	}
	version, _ := page.Version(r) // 0 matches no version
	if err := p.Owner.Delete(r.Context(), v.Study.ID, max(1, version)); err != nil {
		return p.refuse(w, r, v.Study.ID, err)
	}
	p.Record(r.Context(), v.Who, "delete-study", v.Study.ID, "")
	return p.Redirect(w, r, page.ListPath)
}

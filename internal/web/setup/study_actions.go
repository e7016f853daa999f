package setup

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"bestpick/internal/access"
	"bestpick/internal/problems"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// Actions on a study. Their names are in addresses and message keys.
const (
	openDeed     = "open"
	pauseDeed    = "pause"
	closeDeed    = "close"
	addDeed      = "add"
	contextsDeed = "contexts"
	priorDeed    = "prior"
	noPriorDeed  = "remove-prior"
	withdrawDeed = "withdraw"
	deleteDeed   = "delete"
	presentDeed  = "present"
	cardsDeed    = "cards"
	profileDeed  = "profile"
	publishDeed  = "publish"
	revokeDeed   = "unpublish"
	panelDeed    = "panel"
	liftDeed     = "lift"
)

// registerActions registers the actions. Each takes the version that the owner has seen, so that
// two owners do not overwrite each other's changes.
func (p *Pages) registerActions() {
	act := func(deed string, do func(http.ResponseWriter, *http.Request, access.Token)) {
		p.HandleOwners("POST "+page.StudiesPath+"{study}/"+deed, do)
	}
	ask := func(deed string) {
		p.HandleOwners("GET "+page.StudiesPath+"{study}/"+deed, func(w http.ResponseWriter, r *http.Request, who access.Token) {
			p.askFor(w, r, who, deed)
		})
	}
	for deed, to := range map[string]study.State{openDeed: study.Open, pauseDeed: study.Paused, closeDeed: study.Done} {
		act(deed, func(w http.ResponseWriter, r *http.Request, who access.Token) {
			p.change(w, r, who, deed, deed+"-study", func(ctx context.Context, id string, version int) (string, error) {
				_, err := p.Owner.SetState(ctx, id, version, to)
				return "", err
			})
		})
	}
	for deed, public := range map[string]bool{publishDeed: true, revokeDeed: false} {
		act(deed, func(w http.ResponseWriter, r *http.Request, who access.Token) {
			p.change(w, r, who, deed, deed+"-results", func(ctx context.Context, id string, version int) (string, error) {
				_, err := p.Owner.Publish(ctx, id, version, public)
				return "", err
			})
		})
	}
	for _, deed := range []string{closeDeed, addDeed, contextsDeed, priorDeed, withdrawDeed, deleteDeed} {
		ask(deed)
	}
	act(addDeed, p.addArms)
	act(contextsDeed, p.setContexts)
	act(priorDeed, p.setPrior)
	act(noPriorDeed, p.removePrior)
	act(withdrawDeed, p.withdraw)
	act(deleteDeed, p.delete)
}

// change changes a study, records the change in the audit log, and redirects to the study's page.
func (p *Pages) change(w http.ResponseWriter, r *http.Request, who access.Token, deed, operation string, do func(ctx context.Context, id string, version int) (detail string, err error)) {
	if r.MultipartForm == nil && !page.ParseForm(w, r) {
		return
	}
	id := r.PathValue("study")
	version, err := strconv.Atoi(r.PostFormValue("version"))
	if err != nil || version < 1 || !page.IsText(id) {
		p.Fail(w, r, who, study.ErrNotFound)
		return
	}
	detail, err := do(r.Context(), id, version)
	if err != nil {
		p.refuseAction(w, r, who, id, err)
		return
	}
	p.Record(r.Context(), who, operation, id, detail)
	p.RedirectToStudy(w, r, id, deed)
}

// refuseAction redirects to the study's page with the reason why an action was refused, or shows
// the page of an error.
func (p *Pages) refuseAction(w http.ResponseWriter, r *http.Request, who access.Token, id string, err error) {
	if why := problems.Of(study.Coded(err).Code).Refuse; why != "" {
		p.RedirectToStudy(w, r, id, why)
		return
	}
	p.Fail(w, r, who, err)
}

// withdraw withdraws an arm.
func (p *Pages) withdraw(w http.ResponseWriter, r *http.Request, who access.Token) {
	p.change(w, r, who, withdrawDeed, "withdraw-arm", func(ctx context.Context, id string, version int) (string, error) {
		arm := r.PostFormValue("arm")
		_, err := p.Owner.Withdraw(ctx, id, version, arm)
		return fmt.Sprintf("option %.100q", arm), err
	})
}

package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"bestpick/internal/access"
	"bestpick/internal/problems"
	"bestpick/internal/study"
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

// deeds returns the actions that have a message on the study's page.
func deeds() []string {
	return []string{openDeed, pauseDeed, closeDeed, addDeed, contextsDeed, priorDeed, noPriorDeed, withdrawDeed, presentDeed, cardsDeed, profileDeed, publishDeed, revokeDeed, liftDeed, problems.Overtaken, problems.Refused}
}

// registerActions registers the actions. Each takes the version that the owner has seen, so that
// two owners do not overwrite each other's changes.
func (p *Pages) registerActions() {
	act := func(deed string, do func(http.ResponseWriter, *http.Request, access.Token)) {
		p.mux.HandleFunc("POST "+studiesPath+"{study}/"+deed, p.signedIn(access.Owner, do))
	}
	ask := func(deed string) {
		p.mux.HandleFunc("GET "+studiesPath+"{study}/"+deed, p.signedIn(access.Owner, func(w http.ResponseWriter, r *http.Request, who access.Token) {
			p.askFor(w, r, who, deed)
		}))
	}
	for deed, to := range map[string]study.State{openDeed: study.Open, pauseDeed: study.Paused, closeDeed: study.Done} {
		act(deed, func(w http.ResponseWriter, r *http.Request, who access.Token) {
			p.change(w, r, who, deed, deed+"-study", func(ctx context.Context, id string, version int) (string, error) {
				_, err := p.studies.Owner.SetState(ctx, id, version, to)
				return "", err
			})
		})
	}
	for deed, public := range map[string]bool{publishDeed: true, revokeDeed: false} {
		act(deed, func(w http.ResponseWriter, r *http.Request, who access.Token) {
			p.change(w, r, who, deed, deed+"-results", func(ctx context.Context, id string, version int) (string, error) {
				_, err := p.studies.Owner.Publish(ctx, id, version, public)
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
	if r.MultipartForm == nil && !parse(w, r) {
		return
	}
	id := r.PathValue("study")
	version, err := strconv.Atoi(r.PostFormValue("version"))
	if err != nil || version < 1 || !isText(id) {
		p.fail(w, r, who, study.ErrNotFound)
		return
	}
	detail, err := do(r.Context(), id, version)
	if err != nil {
		p.refuseAction(w, r, who, id, err)
		return
	}
	p.record(r.Context(), who, operation, id, detail)
	p.backTo(w, r, id, deed)
}

// refuseAction redirects to the study's page with the reason why an action was refused, or shows
// the page of an error.
func (p *Pages) refuseAction(w http.ResponseWriter, r *http.Request, who access.Token, id string, err error) {
	if why := problems.Of(study.Coded(err).Code).Refuse; why != "" {
		p.backTo(w, r, id, why)
		return
	}
	p.fail(w, r, who, err)
}

// backTo redirects to the study's page with a message about an action.
func (p *Pages) backTo(w http.ResponseWriter, r *http.Request, id, did string) {
	query := url.Values{"did": {did}}
	if chosen := r.FormValue("lang"); chosen != "" {
		query.Set("lang", chosen)
	}
	p.goTo(w, r, studiesPath+url.PathEscape(id)+"?"+query.Encode())
}

// withdraw withdraws an arm.
func (p *Pages) withdraw(w http.ResponseWriter, r *http.Request, who access.Token) {
	p.change(w, r, who, withdrawDeed, "withdraw-arm", func(ctx context.Context, id string, version int) (string, error) {
		arm := r.PostFormValue("arm")
		_, err := p.studies.Owner.Withdraw(ctx, id, version, arm)
		return fmt.Sprintf("option %.100q", arm), err
	})
}

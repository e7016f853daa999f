package admin

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// A peopleView is the page of all people with access.
type peopleView struct {
	page.OwnerView

	People  []person
	Studies []study.Study // that a viewer can be restricted to
	Name    string        // as typed
	Role    string        // of a person to invite
	Study   string        // that a viewer sees; empty for all
	Problem string
	Link    string // of the invitation that was just created
	Local   bool   // the link only works on this computer
	Mailed  string // the message key of whether the link was sent by e-mail; empty if it was not to be
	Did     string // the message key of the last action
}

// A person has access, or is invited.
type person struct {
	access.Token

	Sees string // the name of the only study, or its ID if it is gone; empty for all
	Self bool   // the user of the page
	Late bool   // the invitation can no longer be accepted
}

// registerPeople registers the page on which owners invite people and revoke access.
func (p *Pages) registerPeople() {
	p.HandleOwners("GET "+page.PeoplePath, func(w http.ResponseWriter, r *http.Request, who access.Token) error {
		view := peopleView{Role: string(access.Viewer), Study: r.FormValue("study")}
		if did := r.FormValue("did"); did == revokedAccess || did == lastOwner {
			view.Did = "people." + did
		}
		return p.showPeople(w, r, who, http.StatusOK, view)
	})
	p.HandleForm("POST "+page.PeoplePath, p.invite)
	p.HandleForm("POST "+page.PeoplePath+"/revoke", p.revokeAccess)
}

// What happened to a request to revoke access, as in the address and in message keys.
const (
	revokedAccess = "revoked"
	lastOwner     = "last"
)

// wrongChoice is the message key of a value that is none of the choices.
const wrongChoice = "problem.choose"

// maxStudies is the number of studies that a form offers.
const maxStudies = 200

func (p *Pages) showPeople(w http.ResponseWriter, r *http.Request, who access.Token, status int, view peopleView) error {
	view.OwnerView = p.OwnerView(r, who)
	tokens, err := p.Tokens.Tokens(r.Context())
	if err == nil {
		view.Studies, err = p.Store.List(r.Context(), "", maxStudies)
	}
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, s := range view.Studies {
		names[s.ID] = s.Name
	}
	for _, t := range tokens {
		sees := t.Study
		if name, known := names[sees]; known {
			sees = name
		}
		view.People = append(view.People, person{t, sees, t.Name == who.Name, t.Expired(p.Clock())})
	}
	return p.Show(w, status, "people", page.Whole, view)
}

// invite creates an invitation, and shows its link once.
func (p *Pages) invite(w http.ResponseWriter, r *http.Request, who access.Token) error {
	view := peopleView{Name: page.Typed(r, "name"), Role: r.PostFormValue("role"), Study: r.PostFormValue("study")}
	role := access.Role(view.Role)
	if role == access.Owner {
		view.Study = ""
	}
	problem, err := p.mayInvite(r.Context(), view)
	if err == nil && problem == "" {
		secret, token := access.Invite(view.Name, role, view.Study, p.Clock())
		if err = p.Tokens.AddToken(r.Context(), token); errors.Is(err, access.ErrTaken) {
			problem, err = "people.taken", nil
		} else if err == nil {
			p.Record(r.Context(), who, "create-token", "", token.Summary())
			link, local := p.PublicAddress(r)
			link.Path += page.JoinPath + secret
			if p.Mail != nil && access.IsEmail(token.Name) {
				view.Mailed = "people.not-mailed"
				if p.SendLink(r.Context(), p.WordsOf(r), token.Name, "invitation", link) {
					view.Mailed = "people.mailed"
				}
			}
			view.Link, view.Local, view.Name = link.String(), local, ""
		}
	}
	status := http.StatusOK
	if view.Problem = problem; problem != "" {
		status = http.StatusUnprocessableEntity
	}
	if err != nil {
		return err
	}
	return p.showPeople(w, r, who, status, view)
}

// mayInvite returns the message key of a problem with an invitation, or an empty text.
func (p *Pages) mayInvite(ctx context.Context, view peopleView) (problem string, err error) {
	if role := access.Role(view.Role); role != access.Owner && role != access.Viewer {
		return wrongChoice, nil
	}
	if access.CheckName(view.Name) != nil {
		return "people.name-problem", nil //nolint:nilerr // the message says so
	}
	if view.Study == "" {
		return "", nil
	}
	if !study.IsText(view.Study) {
		return wrongChoice, nil
	}
	_, err = p.Store.Study(ctx, view.Study)
	if errors.Is(err, study.ErrNotFound) {
		return wrongChoice, nil
	}
	return "", err
}

// revokeAccess revokes a token or an invitation.
func (p *Pages) revokeAccess(w http.ResponseWriter, r *http.Request, who access.Token) error {
	name, did := r.PostFormValue("name"), revokedAccess
	err := p.Tokens.RemoveToken(r.Context(), name)
	switch {
	case errors.Is(err, access.ErrLast):
		did = lastOwner
	case err == nil:
		p.Record(r.Context(), who, "revoke-token", "", strconv.Quote(name))
	case !errors.Is(err, access.ErrUnknown): // someone else has revoked it
		return err
	}
	return p.Redirect(w, r, page.PeoplePath+"?did="+did)
}

package setup

import (
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/table"
	"bestpick/internal/web/page"
)

// maxMembers is the maximum number of members on a page of a panel. The file has all of them.
const maxMembers = 50

// A panelView is the page of a study's panel.
type panelView struct {
	actionView

	Local   bool // the links work on this computer only
	Members []memberView
	After   int64  // the number of the last member of the page before; 0 for the first page
	Next    int64  // the number of the last member of the page, if more follow; otherwise 0
	Renewed string // the name of the member whose link was renewed; empty for none
	Link    string // of this member
}

// A memberView is a member of a panel.
type memberView struct {
	study.Member

	Done int // questions answered or skipped
}

// Segmented reports whether members have segments.
func (v panelView) Segmented() bool { return len(v.Study.Settings.Strategy.Model.Segments) > 0 }

// registerPanel registers the page of a study's panel.
func (p *Pages) registerPanel() {
	const path = page.StudiesPath + "{study}/" + panelAction
	p.HandleOwners("GET "+path, p.withAction(panelAction, func(w http.ResponseWriter, r *http.Request, v actionView) error {
		return p.showPanel(w, r, http.StatusOK, panelView{actionView: v})
	}))
	p.HandleForm("POST "+path+"/remove", p.withAction(panelAction, p.removeMember))
	p.HandleForm("POST "+path+"/renew", p.withAction(panelAction, p.renewLink))
	p.HandleOwners("POST "+path, p.addMembers)
	p.HandleOwners("GET "+path+".csv", p.personalLinks)
}

// showPanel shows the page with the members that follow one, or with the first ones.
func (p *Pages) showPanel(w http.ResponseWriter, r *http.Request, status int, v panelView) error {
	_, v.Local = p.PublicAddress(r)
	if number, err := strconv.ParseInt(r.FormValue("after"), 10, 64); err == nil && number > 0 {
		v.After = number
	}
	members, err := p.Store.Members(r.Context(), v.Study.ID, v.After, maxMembers+1)
	if len(members) > maxMembers {
		members = members[:maxMembers]
		v.Next = members[maxMembers-1].Number
	}
	var done []study.History
	if err == nil {
		done, err = p.Owner.Histories(r.Context(), v.Study.ID, members)
	}
	if err != nil {
		return err
	}
	for i, m := range members {
		v.Members = append(v.Members, memberView{m, done[i].Questions})
	}
	return p.Show(w, status, "panel", page.Whole, v)
}

// addMembers adds the members of a file or a pasted table to the panel.
func (p *Pages) addMembers(w http.ResponseWriter, r *http.Request, who access.Token) error {
	refuse := func(w http.ResponseWriter, r *http.Request, status int, v actionView) error {
		return p.showPanel(w, r, status, panelView{actionView: v})
	}
	return p.upload(w, r, who, panelAction, refuse, func(v actionView, upload read.Upload) error {
		people, err := owner.ReadMembers(upload.Contents, upload.Size, upload.Name, v.Study.Settings.Strategy.Model)
		wrong, added := err != nil, 0
		if err == nil {
			_, added, err = p.Owner.AddMembers(r.Context(), v.Study.ID, people)
			wrong = errors.Is(err, study.ErrInvalid)
		}
		switch {
		case wrong:
			v.Problems = problemLines(v.Words, err)
			return refuse(w, r, http.StatusUnprocessableEntity, v)
		case err != nil:
			return p.refuse(w, r, v.Study.ID, err)
		}
		detail := fmt.Sprintf("%s, %d of them new", access.Counted(len(people), "member"), added)
		p.Record(r.Context(), who, "import-members", v.Study.ID, detail)
		return p.Redirect(w, r, v.Address("/"+panelAction))
	})
}

// removeMember removes a member, whose link stops working.
func (p *Pages) removeMember(w http.ResponseWriter, r *http.Request, v actionView) error {
	removed, err := p.Owner.RemoveMembers(r.Context(), v.Study.ID, r.PostFormValue("name"))
	if err != nil && !errors.Is(err, study.ErrInvalid) {
		return p.refuse(w, r, v.Study.ID, err)
	}
	if removed > 0 {
		p.Record(r.Context(), v.Who, "remove-members", v.Study.ID, access.Counted(removed, "member"))
	}
	return p.Redirect(w, r, v.Address("/"+panelAction))
}

// renewLink gives a member a new link, shows it, and revokes the old one.
func (p *Pages) renewLink(w http.ResponseWriter, r *http.Request, v actionView) error {
	member, err := p.Owner.RenewKey(r.Context(), v.Study.ID, r.PostFormValue("name"))
	if errors.Is(err, study.ErrNoMember) { // another owner has removed it
		return p.Redirect(w, r, v.Address("/"+panelAction))
	}
	if err != nil {
		return p.refuse(w, r, v.Study.ID, err)
	}
	p.Record(r.Context(), v.Who, "renew-key", v.Study.ID, fmt.Sprintf("member %d", member.Number))
	if v, err = p.actionView(r, v.Who, panelAction); err != nil { // it has another version now
		return err
	}
	link := p.personalLink(r, v.Study.ID, member)
	return p.showPanel(w, r, http.StatusOK, panelView{actionView: v, Renewed: member.Name, Link: link})
}

// personalLink returns the link of a member.
func (p *Pages) personalLink(r *http.Request, id string, m study.Member) string {
	link, _ := p.PublicAddress(r)
	link.Path += page.RespondentsPath + id
	link.RawQuery = url.Values{"key": {m.Key}}.Encode()
	return link.String()
}

// personalLinks replies with the members of the panel and their links as CSV. An error midway aborts the connection, as
// in exports of results.
func (p *Pages) personalLinks(w http.ResponseWriter, r *http.Request, who access.Token) error {
	s, err := p.StudyOf(r)
	if err != nil {
		return err
	}
	page.Attach(w, "text/csv; charset=utf-8", page.FileName(s)+"-links.csv")
	if r.Method == http.MethodHead {
		return nil
	}
	p.Record(r.Context(), who, "list-panel", s.ID, "csv")
	out := csv.NewWriter(w)
	_ = out.Write([]string{"name", "segment", "link"}) // an error is sticky, and means that the client is gone
	for m, err := range study.AllMembers(r.Context(), p.Store, s.ID) {
		if err != nil {
			if r.Context().Err() == nil {
				p.Log.Error("an export failed", "study", access.Pseudonym(s.ID), "type", "links", "error", err)
			}
			panic(http.ErrAbortHandler)
		}
		_ = out.Write([]string{table.Protect(m.Name), table.Protect(m.Segment), p.personalLink(r, s.ID, m)}) // like above
	}
	out.Flush()
	return nil
}

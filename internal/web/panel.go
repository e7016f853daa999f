package web

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"bestpick/internal/access"
	"bestpick/internal/pseudonym"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/table"
)

// mostMembers is the maximum number of members on the page of a panel. The file has all of them.
const mostMembers = 50

// A panelView is the page of a study's panel.
type panelView struct {
	askView

	Local   bool // the links work on this computer only
	Members []memberView
	More    bool // there are further members
}

// A memberView is a member of a panel.
type memberView struct {
	study.Member

	Done int // questions answered or skipped
}

// registerPanel registers the page of a study's panel.
func (p *Pages) registerPanel() {
	const path = studiesPath + "{study}/" + panelDeed
	p.mux.HandleFunc("GET "+path, p.signedIn(access.Owner, func(w http.ResponseWriter, r *http.Request, who access.Token) {
		v, err := p.askView(r, who, panelDeed)
		if err != nil {
			p.fail(w, r, who, err)
			return
		}
		p.showPanel(w, r, http.StatusOK, v)
	}))
	p.mux.HandleFunc("POST "+path, p.signedIn(access.Owner, p.addMembers))
	p.mux.HandleFunc("GET "+path+".csv", p.signedIn(access.Owner, p.personalLinks))
	p.mux.HandleFunc("POST "+path+"/lift", p.signedIn(access.Owner, func(w http.ResponseWriter, r *http.Request, who access.Token) {
		p.change(w, r, who, liftDeed, "change-study", func(ctx context.Context, id string, version int) (string, error) {
			_, err := p.studies.Owner.Change(ctx, id, version, func(s *study.Study) error {
				s.Panel = false
				return nil
			})
			return "panel", err
		})
	}))
}

// showPanel shows the page with the first members.
func (p *Pages) showPanel(w http.ResponseWriter, r *http.Request, status int, asked askView) {
	v := panelView{askView: asked, Local: p.shareView(r, asked.Study).Local}
	members, err := p.studies.Store.Members(r.Context(), v.Study.ID, 0, mostMembers+1)
	if v.More = len(members) > mostMembers; v.More {
		members = members[:mostMembers]
	}
	var done []study.History
	if err == nil {
		done, err = p.studies.Owner.Histories(r.Context(), v.Study.ID, members)
	}
	if err != nil {
		p.fail(w, r, v.Who, err)
		return
	}
	for i, m := range members {
		v.Members = append(v.Members, memberView{m, done[i].Questions})
	}
	p.show(w, status, panelDeed, wholePage, v)
}

// addMembers adds the members of a file or a pasted table to the panel.
func (p *Pages) addMembers(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, upload, done := p.askUpload(w, r, who, panelDeed)
	if done == nil {
		return
	}
	defer done()
	people, err := owner.ReadMembers(upload.Contents, upload.Size, upload.Name, v.Study.Settings.Strategy.Model)
	if err != nil {
		v.Problems = problemsOf(err)
		p.showPanel(w, r, http.StatusUnprocessableEntity, v)
		return
	}
	_, added, err := p.studies.Owner.AddMembers(r.Context(), v.Study.ID, people)
	switch {
	case errors.Is(err, study.ErrInvalid):
		v.Problems = problemsOf(err)
		p.showPanel(w, r, http.StatusUnprocessableEntity, v)
	case err != nil:
		p.refuseAction(w, r, who, v.Study.ID, err)
	default:
		p.record(r.Context(), who, "import-members", v.Study.ID, fmt.Sprintf("%d members, %d of them new", len(people), added))
		p.goTo(w, r, v.Address("/"+panelDeed))
	}
}

// personalLinks replies with the members of the panel and their links as CSV. An error midway aborts the connection, as
// in [Pages.export].
func (p *Pages) personalLinks(w http.ResponseWriter, r *http.Request, who access.Token) {
	s, err := p.studyOf(r)
	if err != nil {
		p.missing(w, r, who, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", attachment(fileName(s)+"-links.csv"))
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	p.record(r.Context(), who, "list-panel", s.ID, "csv")
	link := p.base(r)
	link.Path += respondentsPath + s.ID
	out := csv.NewWriter(w)
	_ = out.Write([]string{"name", "segment", "link"}) // an error is sticky, and means that the client is gone
	for after := int64(0); ; {
		const page = 1000
		members, err := p.studies.Store.Members(r.Context(), s.ID, after, page)
		if err != nil {
			if r.Context().Err() == nil {
				p.Log.Error("an export failed", "study", pseudonym.Of(s.ID), "type", "links", "error", err)
			}
			panic(http.ErrAbortHandler)
		}
		for _, m := range members {
			link.RawQuery = url.Values{"key": {m.Key}}.Encode()
			_ = out.Write([]string{table.Protect(m.Name), table.Protect(m.Segment), link.String()}) // like above
		}
		out.Flush()
		if len(members) < page || out.Error() != nil {
			return
		}
		after = members[len(members)-1].Number
	}
}

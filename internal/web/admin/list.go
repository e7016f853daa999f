package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/web/page"
)

// Pages serves the pages around studies.
type Pages struct {
	*page.Site

	Store     Store
	Overview  *overview.Reader
	Live      Arms
	PublicKey fmt.Stringer // of exported logs
}

// Store has the studies.
type Store interface {
	page.Studies
	List(ctx context.Context, before string, limit int) ([]study.Study, error)
}

// Arms has the arms of studies.
type Arms interface {
	ArmsWith(ctx context.Context, s study.Study, arms ...int) (*archive.Catalogue, error)
}

// maxListed is the number of studies per page of the list.
const maxListed = 20

// A listView is a page of the list of studies.
type listView struct {
	page.OwnerView

	Before  string // the study after which the page begins; empty for the newest
	Search  string // a part of the names of studies; empty for all
	State   string // of studies; empty for all
	Studies []listItem
	Next    string // the last study of the page, if more follow
}

// A listItem is a study in the list.
type listItem struct {
	study.Study

	Answers  int
	Leader   string // empty if there is none
	Progress float64
	At       time.Time // of the last plan
}

// Decided reports whether the leader is certified as best.
func (i listItem) Decided() bool { return i.Reason == study.Certified }

// About returns the data of the template for the state of a study.
func (v listView) About(i listItem) page.StateView { return page.StateOf(v.Words, i.Study) }

// list shows the studies, newest first: the page, or for JavaScript only the list.
func (p *Pages) list(w http.ResponseWriter, r *http.Request, who access.Token) error {
	query := r.URL.Query()
	view := listView{
		OwnerView: p.OwnerView(r, who), Before: query.Get("before"), Search: strings.TrimSpace(query.Get("q")),
		State: query.Get("state"),
	}
	if !study.IsText(view.Before) || !study.IsText(view.Search) {
		return study.ErrNotFound
	}
	studies, err := p.seen(r.Context(), who, view)
	if err != nil {
		return err
	}
	if len(studies) > maxListed {
		studies = studies[:maxListed]
		view.Next = studies[maxListed-1].ID
	}
	for _, s := range studies {
		item, err := p.listItem(r.Context(), s)
		if errors.Is(err, study.ErrNotFound) { // it was deleted meanwhile
			continue
		}
		if err != nil {
			return err
		}
		view.Studies = append(view.Studies, item)
	}
	part := page.Whole
	if page.WantsPart(r) {
		part = "studies"
	}
	return p.Show(w, http.StatusOK, "list", part, view)
}

// More returns the address of the next page.
func (v listView) More() string {
	return page.Address(page.ListPath, "before", v.Next, "q", v.Search, "state", v.State)
}

// States returns the states by which the list can be filtered.
func (listView) States() []study.State {
	return []study.State{study.Draft, study.Open, study.Paused, study.Done}
}

// seen returns the studies that a user sees, newest first, from the one after a study: one more than the list has on a page.
func (p *Pages) seen(ctx context.Context, who access.Token, view listView) (found []study.Study, err error) {
	if who.Study == "" {
		for s, err := range study.AllStudies(ctx, p.Store.List, view.Before) {
			if err != nil || len(found) > maxListed {
				return found, err
			}
			if strings.Contains(strings.ToLower(s.Name), strings.ToLower(view.Search)) &&
				(view.State == "" || view.State == string(s.State)) {
				found = append(found, s)
			}
		}
		return found, nil
	}
	s, err := p.Store.Study(ctx, who.Study)
	if errors.Is(err, study.ErrNotFound) {
		return nil, nil
	}
	return []study.Study{s}, err
}

// listItem returns a study with its progress.
func (p *Pages) listItem(ctx context.Context, s study.Study) (listItem, error) {
	progress, err := p.Overview.Progress(ctx, s.ID)
	if err != nil {
		return listItem{}, err
	}
	item := listItem{
		Study: progress.Study, Answers: progress.Verdict.Answered, Progress: progress.Verdict.Progress, At: progress.At,
	}
	if leader := progress.Verdict.Leader; progress.Verdict.HasLeader() && progress.Study.Reason != study.Cyclic {
		arms, err := p.Live.ArmsWith(ctx, progress.Study, leader)
		if err != nil {
			return listItem{}, err
		}
		item.Leader = statement.ArmName(arms, arms.Card(leader))
	}
	return item, nil
}

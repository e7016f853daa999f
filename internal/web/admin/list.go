package admin

import (
	"context"
	"errors"
	"net/http"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/statement"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/web/page"
	"bestpick/strategy"
)

// Pages serves the pages around studies.
type Pages struct {
	*page.Site

	Store    Store
	Overview *overview.Reader
	Live     Arms
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
	Studies []listItem
	Next    string // the last study of the page, if more follow
}

// A listItem is a study in the list.
type listItem struct {
	study.Study

	Answers     int
	Leader      string // empty if there is none
	Others      int    // other contenders
	Elimination strategy.Elimination
}

// Decided reports whether the leader is certified as best.
func (i listItem) Decided() bool { return i.Reason == study.Certified }

// About returns the data of the template for the state of a study.
func (v listView) About(i listItem) page.StateView { return page.StateOf(v.Words, i.Study) }

// list shows the studies, newest first: the page, or for JavaScript only the list.
func (p *Pages) list(w http.ResponseWriter, r *http.Request, who access.Token) error {
	view := listView{OwnerView: p.OwnerView(r, who), Before: r.URL.Query().Get("before")}
	if !page.IsText(view.Before) {
		return study.ErrNotFound
	}
	studies, err := p.seen(r.Context(), who, view.Before)
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

// seen returns the studies that a user sees, newest first, from the one after a study: one more than the list has
// on a page.
func (p *Pages) seen(ctx context.Context, who access.Token, before string) ([]study.Study, error) {
	if who.Study == "" {
		return p.Store.List(ctx, before, maxListed+1)
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
		Study: progress.Study, Answers: progress.Verdict.Answered, Elimination: strategy.Elimination{Rivals: s.Arms - 1},
	}
	if leader := progress.Verdict.Leader; leader >= 0 && item.Answers > 0 && progress.Study.Reason != study.Cyclic {
		arms, err := p.Live.ArmsWith(ctx, progress.Study, leader)
		if err != nil {
			return listItem{}, err
		}
		item.Leader, item.Others = statement.ArmName(arms, arms.Card(leader)), progress.Verdict.Possible()
		item.Elimination = progress.Elimination(arms.Arms)
	}
	return item, nil
}

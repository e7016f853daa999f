package web

import (
	"context"
	"errors"
	"math"
	"net/http"

	"bestpick/internal/access"
	"bestpick/internal/study"
)

// listed is how many studies a page of the list has.
const listed = 20

// A listView is a page of the list of studies.
type listView struct {
	ownerView

	Before  string // the study that the page begins after; empty for the newest
	Studies []listItem
	Next    string // the last of them, where there are more
}

// A listItem is a study in the list.
type listItem struct {
	study.Study

	Answers  int
	Leader   string // empty as long as there is none
	Others   int    // that may still be better
	Evidence int    // per cent of what is needed
}

// Standing is the state in a word, or why it is done.
func (i listItem) Standing() string { return standing(i.Study) }

// standing is the state of a study in a word, or why it is over.
func standing(s study.Study) string {
	if s.State == study.Done && s.Reason != "" {
		return string(s.Reason)
	}
	return string(s.State)
}

// Decided reports whether the leader is known to be best.
func (i listItem) Decided() bool { return i.Reason == study.Certified }

// About is what the part about the state of a study needs.
func (v listView) About(i listItem) standingView { return standingView{v.words, i.Standing()} }

// A standingView is the state of a study in a word.
type standingView struct {
	words

	Standing string
}

// list shows the studies, newest first: the page, or for script only what changes.
func (p *Pages) list(w http.ResponseWriter, r *http.Request, who access.Token) {
	view := listView{ownerView: p.ownerView(r, who), Before: r.URL.Query().Get("before")}
	if !isText(view.Before) {
		p.say(w, r, who, http.StatusNotFound, "missing")
		return
	}
	studies, err := p.studies.Store.List(r.Context(), view.Before, listed+1)
	if errors.Is(err, study.ErrNotFound) {
		p.say(w, r, who, http.StatusNotFound, "missing")
		return
	}
	if err != nil {
		p.failed(w, r, err)
		return
	}
	if len(studies) > listed {
		studies = studies[:listed]
		view.Next = studies[listed-1].ID
	}
	for _, s := range studies {
		item, err := p.listItem(r.Context(), s)
		if errors.Is(err, study.ErrNotFound) { // it was deleted just now
			continue
		}
		if err != nil {
			p.failed(w, r, err)
			return
		}
		view.Studies = append(view.Studies, item)
	}
	part := "layout"
	if wantsPart(r) {
		part = "studies"
	}
	p.show(w, http.StatusOK, "list", part, view)
}

// listItem is a study with how far it is.
func (p *Pages) listItem(ctx context.Context, s study.Study) (listItem, error) {
	progress, err := p.studies.Overview.Progress(ctx, s.ID)
	if err != nil {
		return listItem{}, err
	}
	item := listItem{Study: progress.Study, Answers: progress.Verdict.Answered, Evidence: share(progress.Evidence())}
	if leader := progress.Verdict.Leader; leader >= 0 && item.Answers > 0 {
		arms, err := p.studies.Live.ArmsWith(ctx, progress.Study, leader)
		if err != nil {
			return listItem{}, err
		}
		item.Leader, item.Others = armName(arms, arms.Card(leader)), len(progress.Verdict.Contenders)+progress.Verdict.Others
	}
	return item, nil
}

// share is how much there is of what is needed, in per cent. It is all of it only when it is.
func share(evidence, needed float64) int {
	return int(math.Floor(100 * min(1, max(0, evidence/needed))))
}

// wantsPart reports whether script asks for a part of a page.
func wantsPart(r *http.Request) bool { return r.Header.Get("X-Part") != "" }

package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/replay"
)

// registerStudy registers the page of a study and its fragments.
func (p *Pages) registerStudy() {
	view := func(path string, show func(http.ResponseWriter, *http.Request, access.Token)) {
		p.mux.HandleFunc("GET "+studiesPath+"{study}"+path, p.signedIn(access.Viewer, show))
	}
	view("", p.studyPage)
	view("/arms", p.armsPart)
	view("/events", p.studyEvents)
	view("/report", p.report)
	view("/charts/{chart}", p.chartFile)
	p.mux.HandleFunc("GET "+studiesPath+"{study}/judges", p.signedIn(access.Owner, p.judgesPart))
	p.mux.HandleFunc("GET "+studiesPath+"{study}/export/{what}", p.signedIn(access.Owner, p.export))
	p.registerActions()
}

// A studyView is the data of a study's page.
type studyView struct {
	ownerView
	overview.Progress

	Chosen   string // the language in the link
	Did      string // the message key of the last action
	arms     *archive.Catalogue
	card     func(arm int) archive.Card
	overview *overview.Overview // nil while it is not known
	table    tableQuery
	report   bool    // for printing
	base     url.URL // of links

	Judges *overview.Judges // for owners; nil where they cannot be compared

	PublicKey replay.PublicKey // of exported logs
}

// Address returns the address of a path below the study's page.
func (v studyView) Address(path string) string {
	address := studiesPath + url.PathEscape(v.Study.ID) + path
	if v.Chosen != "" {
		address += "?lang=" + url.QueryEscape(v.Chosen)
	}
	return address
}

// Events returns the address of the event stream, with the version that the page shows: the stream begins with what has
// changed since.
func (v studyView) Events() string {
	query := url.Values{"version": {strconv.Itoa(v.Study.Version)}}
	if v.Chosen != "" {
		query.Set("lang", v.Chosen)
	}
	return studiesPath + url.PathEscape(v.Study.ID) + "/events?" + query.Encode()
}

// Export returns the address of an export.
func (v studyView) Export(what, format string) string {
	address := studiesPath + url.PathEscape(v.Study.ID) + "/export/" + what
	if format != "" {
		address += "?format=" + format
	}
	return address
}

// Withdrawal returns the address of the page that confirms the withdrawal of an arm.
func (v studyView) Withdrawal(arm string) string {
	query := url.Values{"arm": {arm}}
	if v.Chosen != "" {
		query.Set("lang", v.Chosen)
	}
	return studiesPath + url.PathEscape(v.Study.ID) + "/withdraw?" + query.Encode()
}

// How long a page waits for the data of its charts, and the file of a chart for its data. The next request continues to
// read a long log.
const (
	look       = 700 * time.Millisecond
	longerLook = 5 * time.Second
)

// view returns the page of a study, with charts if their data are available in time.
func (p *Pages) view(ctx context.Context, r *http.Request, who access.Token) (studyView, error) {
	v, err := p.glance(ctx, r, who)
	if err == nil {
		err = p.draw(ctx, &v, look)
	}
	return v, err
}

// glance returns the view with the progress of a study, without charts.
func (p *Pages) glance(ctx context.Context, r *http.Request, who access.Token) (studyView, error) {
	id := r.PathValue("study")
	if !isText(id) {
		return studyView{}, study.ErrNotFound
	}
	progress, err := p.studies.Overview.Progress(ctx, id)
	if err != nil {
		return studyView{}, err
	}
	chosen := r.FormValue("lang")
	v := studyView{ownerView: p.ownerView(r, who), Chosen: chosen, base: p.base(r), PublicKey: replay.PublicKeyOf(p.studies.Secret)}
	err = p.fill(ctx, &v, progress)
	return v, err
}

// fill adds the progress of a study to a view.
func (p *Pages) fill(ctx context.Context, v *studyView, progress overview.Progress) error {
	v.Progress = progress
	arms, err := p.studies.Live.ArmsWith(ctx, progress.Study, progress.Verdict.Arms()...)
	if err != nil {
		return err
	}
	if v.arms != arms { // otherwise the cached catalogue already has the allowed combinations of a product
		v.arms, v.card = arms, p.studies.Live.Cards(progress.Study, arms)
	}
	return nil
}

// draw adds the charts to a view, if their data are available in time. If they include a later plan, the view gets its
// verdict, so that both count the same answers.
func (p *Pages) draw(ctx context.Context, v *studyView, patience time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	overview, err := p.studies.Overview.Overview(waiting, v.Study.ID)
	if err == nil && overview.Plan > v.Plan {
		progress, err := p.studies.Overview.Progress(ctx, v.Study.ID)
		if err != nil {
			return err
		}
		if err := p.fill(ctx, v, progress); err != nil {
			return err
		}
	}
	switch {
	case err != nil && (waiting.Err() == nil || ctx.Err() != nil):
		return err
	case err == nil && (len(overview.Arms) == 0 || overview.Arms[len(overview.Arms)-1].Arm < v.arms.Arms.Len()):
		v.overview = overview
	}
	return nil
}

// studyPage shows the page.
func (p *Pages) studyPage(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, err := p.view(r.Context(), r, who)
	if err != nil {
		p.fail(w, r, who, err)
		return
	}
	if did := r.FormValue("did"); slices.Contains(deeds(), did) {
		v.Did = did
	}
	v.table = readTableQuery(r)
	if v.HasJudges() {
		waiting, cancel := context.WithTimeout(r.Context(), look)
		defer cancel()
		if err := p.compareJudges(waiting, &v); err != nil && waiting.Err() == nil {
			p.fail(w, r, who, err)
			return
		}
	}
	p.show(w, http.StatusOK, studyPage, "layout", v)
}

// report shows the results on one page for printing.
func (p *Pages) report(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, err := p.view(r.Context(), r, who)
	if err != nil {
		p.fail(w, r, who, err)
		return
	}
	v.report = true
	if v.Owner() && v.Begun() {
		if err := p.compareJudges(r.Context(), &v); err != nil {
			p.fail(w, r, who, err)
			return
		}
	}
	p.show(w, http.StatusOK, reportPage, "layout", v)
}

// fail shows the page of an error.
func (p *Pages) fail(w http.ResponseWriter, r *http.Request, who access.Token, err error) {
	if errors.Is(err, context.Canceled) {
		return // the client is gone
	}
	p.missing(w, r, who, err)
}

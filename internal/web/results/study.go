// Package results serves the results of studies: the page of a study with its live updates, charts, the table of options,
// the report and exports.
package results

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/wiring"
	"bestpick/internal/web/page"
)

// Pages serves the results of studies.
type Pages struct {
	*page.Site

	Overview  *overview.Reader
	Live      *live.Studies
	Exports   *wiring.Service
	PublicKey replay.PublicKey // of exported logs
}

// studyPage is the name of the page of a study.
const studyPage = "study"

// Register registers the page of a study, its fragments and its files.
func (p *Pages) Register() {
	view := func(path string, show func(http.ResponseWriter, *http.Request, access.Token)) {
		p.HandleViewers("GET "+page.StudiesPath+"{study}"+path, show)
	}
	view("", p.studyPage)
	view("/arms", p.armsPart)
	view("/events", p.studyEvents)
	view("/report", p.report)
	view("/charts/{chart}", p.chartFile)
	p.HandleOwners("GET "+page.StudiesPath+"{study}/judges", p.judgesPart)
	p.HandleOwners("GET "+page.StudiesPath+"{study}/export/{what}", p.export)
	p.registerResults()
}

// A View is the data of a study's page.
type View struct {
	page.OwnerView
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
func (v View) Address(path string) string {
	return page.StudyAddress(v.Study, path, v.Chosen)
}

// Events returns the address of the event stream, with the version that the page shows: the stream begins with what has
// changed since.
func (v View) Events() string {
	query := url.Values{"version": {strconv.Itoa(v.Study.Version)}}
	if v.Chosen != "" {
		query.Set("lang", v.Chosen)
	}
	return page.StudiesPath + url.PathEscape(v.Study.ID) + "/events?" + query.Encode()
}

// Export returns the address of an export.
func (v View) Export(what, format string) string {
	address := page.StudiesPath + url.PathEscape(v.Study.ID) + "/export/" + what
	if format != "" {
		address += "?format=" + format
	}
	return address
}

// Withdrawal returns the address of the page that confirms the withdrawal of an arm.
func (v View) Withdrawal(arm string) string {
	query := url.Values{"arm": {arm}}
	if v.Chosen != "" {
		query.Set("lang", v.Chosen)
	}
	return page.StudiesPath + url.PathEscape(v.Study.ID) + "/withdraw?" + query.Encode()
}

// How long a page waits for the data of its charts, and the file of a chart for its data. The next request continues to
// read a long log.
const (
	look       = 700 * time.Millisecond
	longerLook = 5 * time.Second
)

// view returns the page of a study, with charts if their data are available in time.
func (p *Pages) view(ctx context.Context, r *http.Request, who access.Token) (View, error) {
	v, err := p.glance(ctx, r, who)
	if err == nil {
		err = p.draw(ctx, &v, look)
	}
	return v, err
}

// glance returns the view with the progress of a study, without charts.
func (p *Pages) glance(ctx context.Context, r *http.Request, who access.Token) (View, error) {
	id := r.PathValue("study")
	if !page.IsText(id) {
		return View{}, study.ErrNotFound
	}
	progress, err := p.Overview.Progress(ctx, id)
	if err != nil {
		return View{}, err
	}
	chosen := r.FormValue("lang")
	base, _ := p.PublicAddress(r)
	v := View{OwnerView: p.OwnerView(r, who), Chosen: chosen, base: base, PublicKey: p.PublicKey}
	err = p.fill(ctx, &v, progress)
	return v, err
}

// fill adds the progress of a study to a view.
func (p *Pages) fill(ctx context.Context, v *View, progress overview.Progress) error {
	v.Progress = progress
	arms, err := p.Live.ArmsWith(ctx, progress.Study, progress.Verdict.Arms()...)
	if err != nil {
		return err
	}
	if v.arms != arms { // otherwise the cached catalogue already has the allowed combinations of a product
		v.arms, v.card = arms, p.Live.Cards(progress.Study, arms)
	}
	return nil
}

// draw adds the charts to a view, if their data are available in time. If they include a later plan, the view gets its
// verdict, so that both count the same answers.
func (p *Pages) draw(ctx context.Context, v *View, patience time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	overview, err := p.Overview.Overview(waiting, v.Study.ID)
	if err == nil && overview.Plan > v.Plan {
		progress, err := p.Overview.Progress(ctx, v.Study.ID)
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
		p.Fail(w, r, who, err)
		return
	}
	if did := r.FormValue("did"); v.Has("did." + did) {
		v.Did = did
	}
	v.table = readTableQuery(r)
	if v.HasJudges() {
		waiting, cancel := context.WithTimeout(r.Context(), look)
		defer cancel()
		if err := p.compareJudges(waiting, &v); err != nil && waiting.Err() == nil {
			p.Fail(w, r, who, err)
			return
		}
	}
	p.Show(w, http.StatusOK, studyPage, page.Whole, v)
}

// report shows the results on one page for printing.
func (p *Pages) report(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, err := p.view(r.Context(), r, who)
	if err != nil {
		p.Fail(w, r, who, err)
		return
	}
	v.report = true
	if v.Owner() && v.Begun() {
		if err := p.compareJudges(r.Context(), &v); err != nil {
			p.Fail(w, r, who, err)
			return
		}
	}
	p.Show(w, http.StatusOK, "report", page.Whole, v)
}

package results

import (
	"context"
	"errors"
	"net/http"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/study/live"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/replay"
	"bestpick/internal/web/page"
)

// Pages serves the results of studies.
type Pages struct {
	*page.Site

	Overview  *overview.Reader
	Live      *live.Studies
	PublicKey replay.PublicKey // of exported logs
}

// studyPage is the name of the page of a study.
const studyPage = "study"

// How long a page waits for the data of its charts, and the file of a chart for its data. The next request continues to
// read a long log.
const (
	pagePatience = 700 * time.Millisecond
	filePatience = 5 * time.Second
)

// fullView returns the page of a study, with charts if their data are available in time.
func (p *Pages) fullView(ctx context.Context, r *http.Request, who access.Token) (View, error) {
	v, err := p.progressView(ctx, r, who)
	if err == nil {
		err = p.addCharts(ctx, &v, pagePatience)
	}
	return v, err
}

// progressView returns the view with the progress of a study, without charts.
func (p *Pages) progressView(ctx context.Context, r *http.Request, who access.Token) (View, error) {
	progress, err := p.Overview.Progress(ctx, r.PathValue("study"))
	if err != nil {
		return View{}, err
	}
	chosen := r.FormValue("lang")
	v := View{OwnerView: p.OwnerView(r, who), Chosen: chosen, PublicKey: p.PublicKey}
	err = p.setProgress(ctx, &v, progress)
	return v, err
}

// setProgress adds the progress of a study to a view.
func (p *Pages) setProgress(ctx context.Context, v *View, progress overview.Progress) error {
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

// addCharts adds the charts to a view, if their data are available in time. If they include a later plan, the view gets its
// verdict, so that both count the same answers.
func (p *Pages) addCharts(ctx context.Context, v *View, patience time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	overview, err := p.Overview.Overview(waiting, v.Study.ID)
	if err == nil && overview.Plan > v.Plan {
		progress, err := p.Overview.Progress(ctx, v.Study.ID)
		if err != nil {
			return err
		}
		if err := p.setProgress(ctx, v, progress); err != nil {
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

// compareJudges adds the judges to a view, where they can be compared.
func (p *Pages) compareJudges(ctx context.Context, v *View) error {
	judges, err := p.Overview.Judges(ctx, v.Study.ID)
	if errors.Is(err, study.ErrInvalid) {
		return nil
	}
	if err == nil {
		v.Judges = judges
	}
	return err
}

package results

import (
	"context"
	"errors"
	"net/http"

	"bestpick/checks"
	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
)

// maxListedJudges is the number of judges on a page; the API lists more.
const maxListedJudges = 15

// HasJudges reports whether the study's page compares its respondents: for owners, if respondents
// compare texts or a model has answered.
func (v View) HasJudges() bool {
	return v.Owner() && (v.arms.Contexts != nil || v.overview != nil && v.overview.Models)
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

// judgesPart returns the judges as a fragment, for JavaScript.
func (p *Pages) judgesPart(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, err := p.glance(r.Context(), r, who)
	if err == nil {
		err = p.compareJudges(r.Context(), &v)
	}
	if err != nil {
		p.Fail(w, r, who, err)
		return
	}
	p.Show(w, http.StatusOK, studyPage, "judges", v)
}

// Judged returns the listed judges, those with the most answers first.
func (v View) Judged() []checks.Judgement {
	if v.Judges == nil {
		return nil
	}
	return v.Judges.Judges[:min(len(v.Judges.Judges), maxListedJudges)]
}

// JudgesError returns the error probability of the comparison.
func (View) JudgesError() float64 { return overview.JudgesError }

// Estimates reports whether a report has Bradley–Terry estimates.
func (v View) Estimates() bool { return v.Judges != nil && v.Judges.Utilities != nil }

// Estimate formats the Bradley–Terry estimate of an arm and its error.
func (v View) Estimate(row armRow) string {
	if row.arm >= len(v.Judges.Utilities) {
		return "–"
	}
	return v.Signed(v.Judges.Utilities[row.arm]) + " ± " + v.Number(v.Judges.Errors[row.arm], 2)
}

package web

import (
	"bestpick/checks"
	"bestpick/internal/study/overview"
)

// maxListedJudges is the number of judges in a report; the API lists more.
const maxListedJudges = 15

// Judged returns the judges in a report, those with the most answers first.
func (v studyView) Judged() []checks.Judgement {
	if v.Judges == nil {
		return nil
	}
	return v.Judges.Judges[:min(len(v.Judges.Judges), maxListedJudges)]
}

// JudgesError returns the error probability of the comparison.
func (studyView) JudgesError() float64 { return overview.JudgesError }

// Estimates reports whether a report has Bradley–Terry estimates.
func (v studyView) Estimates() bool { return v.Judges != nil && v.Judges.Utilities != nil }

// Estimate formats the Bradley–Terry estimate of an arm and its error.
func (v studyView) Estimate(row armRow) string {
	if row.arm >= len(v.Judges.Utilities) {
		return "–"
	}
	return v.Signed(v.Judges.Utilities[row.arm]) + " ± " + v.Number(v.Judges.Errors[row.arm], 2)
}

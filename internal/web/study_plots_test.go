package web

import (
	"testing"
	"time"

	"bestpick/internal/study/overview"
)

// TestPacePlotTimes: the labels of the axis and the rows of the table have different times, even if a column is a
// second. Times of longer columns have no seconds.
func TestPacePlotTimes(t *testing.T) {
	l := newLanguages()
	start := time.Date(2026, 11, 30, 9, 59, 58, 0, time.UTC)
	for span, want := range map[time.Duration][]string{
		time.Second: {"11-30 09:59:58 UTC", "11-30 10:00:10 UTC", "2026-11-30 09:59:58 UTC", "2026-11-30 09:59:59 UTC"},
		time.Minute: {"11-30 09:59 UTC", "11-30 10:11 UTC", "2026-11-30 09:59 UTC", "2026-11-30 10:00 UTC"},
	} {
		v := studyView{overview: &overview.Overview{Pace: overview.Pace{Start: start, Span: span, Answers: []int{1, 1}}}}
		v.words = words{l.names[0], l.messages[0]}
		drawn := v.PacePlot()
		for i, got := range []string{drawn.X[0].Text, drawn.X[1].Text, drawn.Table.Rows[0][0], drawn.Table.Rows[1][0]} {
			if got != want[i] {
				t.Errorf("columns of %v: %q, want %q", span, got, want[i])
			}
		}
	}
}

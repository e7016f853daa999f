package results

import (
	"net/http"
	"testing"
	"time"

	"bestpick/internal/study/overview"
	"bestpick/internal/web/page"
)

// TestPacePlotTimes: the labels of the axis and the rows of the table have different times, even if a column is a
// second. Times of longer columns have no seconds.
func TestPacePlotTimes(t *testing.T) {
	words := page.New(nil, nil, time.Now, page.Options{}).WordsIn(&http.Request{}, "en")
	start := time.Date(2026, 11, 30, 9, 59, 58, 0, time.UTC)
	for span, want := range map[time.Duration][]string{
		time.Second: {"11-30 09:59:58 UTC", "11-30 10:00:10 UTC", "2026-11-30 09:59:58 UTC", "2026-11-30 09:59:59 UTC"},
		time.Minute: {"11-30 09:59 UTC", "11-30 10:11 UTC", "2026-11-30 09:59 UTC", "2026-11-30 10:00 UTC"},
	} {
		v := View{overview: &overview.Overview{Pace: overview.Pace{Start: start, Span: span, Answers: []int{1, 1}}}}
		v.Words = words
		drawn := v.PacePlot()
		for i, got := range []string{drawn.X[0].Text, drawn.X[1].Text, drawn.Table.Rows[0][0], drawn.Table.Rows[1][0]} {
			if got != want[i] {
				t.Errorf("columns of %v: %q, want %q", span, got, want[i])
			}
		}
	}
}

// TestScale: the ticks of a scale are round numbers.
func TestScale(t *testing.T) {
	for _, test := range []struct {
		high  float64
		marks int
		last  float64
	}{{150, 4, 150}, {1, 3, 1}, {7, 4, 6}, {1e6, 3, 1e6}} {
		marks := scale{0, test.high}.round(4)
		if len(marks) != test.marks || marks[len(marks)-1] != test.last {
			t.Errorf("the ticks up to %v are %v", test.high, marks)
		}
	}
	if marks := (scale{0, 0}).round(4); marks != nil {
		t.Errorf("an empty scale has the ticks %v", marks)
	}
}

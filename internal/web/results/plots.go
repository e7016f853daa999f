package results

import (
	"math"
	"slices"
	"time"

	"bestpick/internal/study/overview"
)

// maxNumbers is the maximum number of rows in the table of a plot.
const maxNumbers = 40

// EliminatedPlot returns the plot of the number of eliminated arms.
func (v View) EliminatedPlot() plot {
	now := v.Elimination()
	all := now.Eliminated + now.Rivals
	points := v.course()
	last := points[len(points)-1]
	x, y := scale{0, float64(max(1, last.Answers))}, scale{0, float64(all) * 1.15}
	eliminated := func(p overview.Point) int { return max(0, all-p.Rivals) }
	place := func(p overview.Point) spot { return spot{x.at(float64(p.Answers)), y.below(float64(eliminated(p)))} }
	drawn := plot{
		chart: v.chart(eliminatedChart, v.Must("eliminated.text", "all", v.Count(all)), "answers", "ruled-out", "time"),
		Level: &tick{At: y.below(float64(all)), Text: v.Must("eliminated.all", "all", v.Count(all))},
		End:   new(place(last)), X: v.countTicks(x), Y: v.wholeTicks(scale{0, float64(all)}, y),
	}
	for _, p := range points {
		drawn.line = append(drawn.line, place(p))
	}
	for _, p := range thinned(points, maxPoints) {
		text := v.Must("eliminated.point", "answers", v.Count(p.Answers), "some", v.Count(eliminated(p)))
		drawn.Points = append(drawn.Points, pointAt(place(p).X, place(p).Y, text))
	}
	for _, p := range thinned(points, maxNumbers) {
		drawn.Table.Rows = append(drawn.Table.Rows, []string{v.Count(p.Answers), v.Count(eliminated(p)), v.Moment(p.At)})
	}
	return drawn
}

// The names of the charts, in the page and in the addresses of files.
const (
	eliminatedChart = "eliminated"
	contendersChart = "contenders"
	paceChart       = "pace"
	utilitiesChart  = "utilities"
	shownChart      = "shown"
)

// chart returns what a chart has in common with others. Columns of its table are named by their messages.
func (v View) chart(id, text string, columns ...string) chart {
	c := chart{Words: v.Words, ID: id, Title: v.Must(id + ".title"), Text: text, File: v.chartAddress(id)}
	for _, name := range columns {
		c.Table.Head = append(c.Table.Head, v.Must("column."+name))
	}
	return c
}

// course returns the history of the verdict, without plans before the first answer. It ends with the verdict that the
// page shows, even if the data of charts are of a later plan or an earlier one.
func (v View) course() []overview.Point {
	points := slices.DeleteFunc(slices.Clone(v.overview.Course), func(p overview.Point) bool {
		return p.Answers == 0 || p.Plan >= v.Plan
	})
	return append(points, overview.Point{Plan: v.Plan, Answers: v.Verdict.Answered, Rivals: v.Verdict.Possible(), At: v.At})
}

// wholeTicks returns ticks at round whole numbers of a range on the vertical axis.
func (v View) wholeTicks(within, y scale) (ticks []tick) {
	for _, n := range within.round(3) {
		if n == math.Trunc(n) {
			ticks = append(ticks, tick{At: y.below(n), Text: v.Number(n, 0)})
		}
	}
	return ticks
}

// countTicks returns the ticks of an axis of answers.
func (v View) countTicks(x scale) (ticks []tick) {
	for _, n := range x.round(4) {
		if n == math.Trunc(n) {
			ticks = append(ticks, tickAt(x.at(n), v.Number(n, 0)))
		}
	}
	return ticks
}

// PacePlot returns the plot of answers over time. Its times have seconds if a column is shorter than a minute.
func (v View) PacePlot() plot {
	pace := v.overview.Pace
	most := max(1, slices.Max(pace.Answers))
	y := scale{0, float64(most) * 1.1}
	columns := max(len(pace.Answers), minColumns)
	x := scale{0, float64(columns)}
	seconds, clock := pace.Span < time.Minute, "15:04"
	if seconds {
		clock = "15:04:05"
	}
	at := func(column int) time.Time { return pace.Start.Add(time.Duration(column) * pace.Span).UTC() }
	moment := func(column int) string { return at(column).Format("2006-01-02 "+clock) + " UTC" }
	drawn := plot{
		chart: v.chart(paceChart, v.Must("pace.text", "span", v.span(pace.Span), "most", v.Count(most)), "time", "answers"),
		Y:     v.wholeTicks(y, y),
	}
	for i, n := range pace.Answers {
		if n > 0 {
			top := min(y.below(float64(n)), 99)
			text := v.Must("pace.point", "time", moment(i), "answers", v.Count(n))
			left := x.at(float64(i) + 0.1)
			drawn.Bars = append(drawn.Bars, bar{left, top, x.at(float64(i)+0.9) - left, 100 - top, text})
			drawn.Points = append(drawn.Points, pointAt(x.at(float64(i)+0.5), top, text))
		}
		drawn.Table.Rows = append(drawn.Table.Rows, []string{moment(i), v.Count(n)})
	}
	drawn.Points = thinned(drawn.Points, maxPoints)
	for _, column := range []int{0, columns} {
		mark := tickAt(x.at(float64(column)), at(column).Format("01-02 "+clock)+" UTC")
		mark.Stamp, mark.Seconds = v.Stamp(at(column)), seconds
		drawn.X = append(drawn.X, mark)
	}
	return drawn
}

// minColumns is the minimum number of columns for which there is space, so that the first one is
// not too wide.
const minColumns = 12

// span formats a duration.
func (v View) span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return v.Must("span.seconds", "n", v.Short(d.Seconds()))
	case d < time.Hour:
		return v.Must("span.minutes", "n", v.Short(d.Minutes()))
	case d < 48*time.Hour:
		return v.Must("span.hours", "n", v.Short(d.Hours()))
	}
	return v.Must("span.days", "n", v.Short(d.Hours()/24))
}

// Paced reports whether the study has answers that were not imported.
func (v View) Paced() bool { return len(v.overview.Pace.Answers) > 0 }

// Imports returns the number of imported answers.
func (v View) Imports() int {
	if v.overview == nil {
		return 0
	}
	return v.overview.Imported
}

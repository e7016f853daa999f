package results

import (
	"math"
	"slices"
	"time"

	"bestpick/internal/study/overview"
)

// mostNumbers is the maximum number of rows in the table of a plot.
const mostNumbers = 40

// EliminatedPlot returns the plot of the number of eliminated arms.
func (v View) EliminatedPlot() plot {
	now := v.Elimination()
	all := now.Eliminated + now.Rivals
	points := v.course()
	last := points[len(points)-1]
	x, y := scale{0, float64(max(1, last.Answers))}, scale{0, float64(all) * 1.15}
	eliminated := func(p overview.Point) int { return max(0, all-p.Rivals) }
	var places []spot
	for _, p := range points {
		places = append(places, spot{x.at(float64(p.Answers)), side - y.at(float64(eliminated(p)))})
	}
	drawn := plot{
		ID: eliminatedChart, Title: v.Must("eliminated.title"), course: places,
		Text:  v.Must("eliminated.text", "all", v.Count(all)),
		Level: &tick{At: 100 - y.percent(float64(all)), Text: v.Must("eliminated.all", "all", v.Count(all))},
		End:   &spot{x.percent(float64(last.Answers)), 100 - y.percent(float64(eliminated(last)))},
		Table: numbers{Head: []string{v.Must("column.answers"), v.Must("column.ruled-out"), v.Must("column.time")}},
	}
	drawn.X, drawn.Y = v.countTicks(x), v.wholeTicks(scale{0, float64(all)}, y)
	for _, p := range thinned(points, mostPoints) {
		text := v.Must("eliminated.point", "answers", v.Count(p.Answers), "some", v.Count(eliminated(p)))
		drawn.Points = append(drawn.Points, pointAt(x.percent(float64(p.Answers)), 100-y.percent(float64(eliminated(p))), text))
	}
	for _, p := range thinned(points, mostNumbers) {
		drawn.Table.Rows = append(drawn.Table.Rows, []string{v.Count(p.Answers), v.Count(eliminated(p)), v.Moment(p.At)})
	}
	return drawn
}

// course returns the history of the verdict, without plans before the first answer. It ends with the verdict that the
// page shows, even if the data of charts are of a later plan or an earlier one.
func (v View) course() []overview.Point {
	points := slices.DeleteFunc(slices.Clone(v.overview.Course), func(p overview.Point) bool { return p.Answers == 0 || p.Plan >= v.Plan })
	return append(points, overview.Point{Plan: v.Plan, Answers: v.Verdict.Answered, Rivals: v.Verdict.Possible(), At: v.At})
}

// wholeTicks returns ticks at round whole numbers of a range on the vertical axis.
func (v View) wholeTicks(within, y scale) (ticks []tick) {
	for _, n := range within.round(3) {
		if n == math.Trunc(n) {
			ticks = append(ticks, tick{At: 100 - y.percent(n), Text: v.Number(n, 0)})
		}
	}
	return ticks
}

// countTicks returns the ticks of an axis of answers.
func (v View) countTicks(x scale) (ticks []tick) {
	for _, n := range x.round(4) {
		if n == math.Trunc(n) {
			at := x.percent(n)
			ticks = append(ticks, tick{At: at, Text: v.Number(n, 0), Anchor: anchor(at)})
		}
	}
	return ticks
}

// PacePlot returns the plot of answers over time. Its times have seconds if a column is shorter than a minute.
func (v View) PacePlot() plot {
	pace := v.overview.Pace
	most := max(1, slices.Max(pace.Answers))
	y := scale{0, float64(most) * 1.1}
	columns := max(len(pace.Answers), fewestColumns)
	width := float64(side) / float64(columns)
	seconds, clock := pace.Span < time.Minute, "15:04"
	if seconds {
		clock = "15:04:05"
	}
	at := func(column int) time.Time { return pace.Start.Add(time.Duration(column) * pace.Span).UTC() }
	moment := func(column int) string { return at(column).Format("2006-01-02 "+clock) + " UTC" }
	text := v.Must("pace.text", "span", v.span(pace.Span), "most", v.Count(most))
	drawn := plot{
		ID: paceChart, Title: v.Must("pace.title"), Text: text,
		Table: numbers{Head: []string{v.Must("column.time"), v.Must("column.answers")}},
	}
	for i, n := range pace.Answers {
		if n > 0 {
			height := max(y.at(float64(n)), side/100)
			text := v.Must("pace.point", "time", moment(i), "answers", v.Count(n))
			drawn.Bars = append(drawn.Bars, bar{float64(i)*width + width/10, side - height, width * 8 / 10, height, text})
			drawn.Points = append(drawn.Points, pointAt((float64(i)+0.5)*width*100/side, 100-height*100/side, text))
		}
	}
	drawn.Points = thinned(drawn.Points, mostPoints)
	drawn.Y = v.wholeTicks(y, y)
	for _, column := range []int{0, columns} {
		position := 100 * float64(column) / float64(columns)
		label := at(column).Format("01-02 "+clock) + " UTC"
		drawn.X = append(drawn.X, tick{At: position, Text: label, Stamp: v.Stamp(at(column)), Seconds: seconds, Anchor: anchor(position)})
	}
	for i, n := range pace.Answers {
		drawn.Table.Rows = append(drawn.Table.Rows, []string{moment(i), v.Count(n)})
	}
	return drawn
}

// fewestColumns is the minimum number of columns for which there is space, so that the first one is
// not too wide.
const fewestColumns = 12

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

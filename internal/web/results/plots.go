package results

import (
	"math"
	"slices"
	"time"
)

// The names of the charts, in the page and in the addresses of files.
const (
	rankedChart     = "ranked"
	importanceChart = "importance"
	paceChart       = "pace"
)

// chart returns what a chart has in common with others. Columns of its table are named by their messages.
func (v View) chart(id, text string, columns ...string) chart {
	c := chart{Words: v.Words, ID: id, Title: v.Must(id + ".title"), Text: text, File: v.chartAddress(id)}
	for _, name := range columns {
		c.Table.Head = append(c.Table.Head, v.Must("column."+name))
	}
	return c
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

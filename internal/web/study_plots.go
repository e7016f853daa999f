package web

import (
	"slices"
	"time"

	"bestpick/internal/study/overview"
)

// mostNumbers is the maximum number of rows in the table of a plot.
const mostNumbers = 40

// floor is the lowest evidence that is drawn, in multiples of the threshold. At first the evidence
// may be far lower.
const floor = -2.0

// EvidencePlot returns the plot of the evidence and its threshold.
func (v studyView) EvidencePlot() plot {
	threshold := v.Threshold()
	points := slices.DeleteFunc(slices.Clone(v.overview.Course), func(p overview.Point) bool { return p.Answers == 0 }) // there is one at least, see Begun
	last := points[len(points)-1]
	x, y := scale{0, float64(max(1, last.Answers))}, scale{floor * threshold, threshold * 1.15}
	var places []spot
	for _, p := range points {
		places = append(places, spot{x.at(float64(p.Answers)), side - y.at(p.Evidence)})
	}
	line := polyline(places)
	text := v.must("evidence.text", "now", v.Number(last.Evidence, 1), "needed", v.Number(threshold, 1), "answers", v.Count(last.Answers), "lowest", v.Number(floor*threshold, 1))
	drawn := plot{
		ID: "evidence", Title: v.must("evidence.title"), Text: text, Line: line,
		Level: &tick{At: 100 - y.percent(threshold), Text: v.must("evidence.enough", "needed", v.Number(threshold, 1))},
		End:   &spot{x.percent(float64(last.Answers)), 100 - y.percent(last.Evidence)},
		Table: numbers{Head: []string{v.must("column.answers"), v.must("column.evidence"), v.must("column.time")}},
	}
	drawn.Area = line + "L" + polyline([]spot{{places[len(places)-1].X, side}, {places[0].X, side}})[1:] + "Z"
	drawn.X = v.countTicks(x)
	for _, e := range []float64{floor * threshold, 0} {
		drawn.Y = append(drawn.Y, tick{At: 100 - y.percent(e), Text: v.Number(e, 0)})
	}
	for _, p := range thinned(points, mostNumbers) {
		drawn.Table.Rows = append(drawn.Table.Rows, []string{v.Count(p.Answers), v.Number(p.Evidence, 2), v.Moment(p.At)})
	}
	return drawn
}

// countTicks returns the ticks of an axis of answers.
func (v studyView) countTicks(x scale) (ticks []tick) {
	marks := x.round(4)
	for _, n := range marks {
		at := x.percent(n)
		ticks = append(ticks, tick{At: at, Text: v.Number(n, 0), Anchor: anchor(at)})
	}
	return ticks
}

// PacePlot returns the plot of answers over time.
func (v studyView) PacePlot() plot {
	pace := v.overview.Pace
	most, all := 1, 0
	for _, n := range pace.Answers {
		most, all = max(most, n), all+n
	}
	y := scale{0, float64(most) * 1.1}
	columns := max(len(pace.Answers), fewestColumns)
	width := float64(side) / float64(columns)
	text := v.must("pace.text", "answers", v.Count(all), "span", v.span(pace.Span), "most", v.Count(most))
	drawn := plot{
		ID: "pace", Title: v.must("pace.title"), Text: text,
		Table: numbers{Head: []string{v.must("column.time"), v.must("column.answers")}},
	}
	for i, n := range pace.Answers {
		if n > 0 {
			height := max(y.at(float64(n)), side/100)
			drawn.Bars = append(drawn.Bars, bar{float64(i)*width + width/10, side - height, width * 8 / 10, height})
		}
	}
	marks := y.round(3)
	for _, n := range marks {
		if n > 0 {
			drawn.Y = append(drawn.Y, tick{At: 100 - y.percent(n), Text: v.Number(n, 0)})
		}
	}
	begin, end := pace.Start, pace.Start.Add(time.Duration(columns)*pace.Span)
	drawn.X = []tick{
		{At: 0, Text: brief(begin), Stamp: v.Stamp(begin), Anchor: "start"},
		{At: 100, Text: brief(end), Stamp: v.Stamp(end), Anchor: "end"},
	}
	for i, n := range pace.Answers {
		drawn.Table.Rows = append(drawn.Table.Rows, []string{v.Moment(pace.Start.Add(time.Duration(i) * pace.Span)), v.Count(n)})
	}
	return drawn
}

// fewestColumns is the minimum number of columns for which there is space, so that the first one is
// not too wide.
const fewestColumns = 12

// brief formats a time for labels with little space.
func brief(t time.Time) string { return t.UTC().Format("01-02 15:04") + " UTC" }

// span formats a duration.
func (v studyView) span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return v.must("span.seconds", "n", v.Short(d.Seconds()))
	case d < time.Hour:
		return v.must("span.minutes", "n", v.Short(d.Minutes()))
	case d < 48*time.Hour:
		return v.must("span.hours", "n", v.Short(d.Hours()))
	}
	return v.must("span.days", "n", v.Short(d.Hours()/24))
}

// Paced reports whether the study has answers that were not imported.
func (v studyView) Paced() bool { return len(v.overview.Pace.Answers) > 0 }

// Imports returns the number of imported answers.
func (v studyView) Imports() int {
	if v.overview == nil {
		return 0
	}
	return v.overview.Imported
}

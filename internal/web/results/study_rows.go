package results

import (
	"cmp"
	"math"
	"slices"

	"bestpick/internal/catalogue/encode"
	"bestpick/internal/study/overview"
	"bestpick/strategy"
)

const (
	mostRows = 10 // of a chart on the screen
	usual    = 1.96
)

// ContenderRows returns the leads over the contenders or, if the majority decides, how many people choose them over
// the leader.
func (v View) ContenderRows() rows {
	drawn := v.leadRows()
	if v.ByMajority() {
		drawn = v.chosenRows()
	}
	drawn.ID, drawn.Title = contendersChart, v.Must("contenders.title")
	if more := v.Verdict.Possible() - len(drawn.Groups[0].Rows); more > 0 {
		drawn.More = v.Must("rows.more", "count", v.Count(more))
	}
	return drawn
}

// leadRows returns the leads over the contenders.
func (v View) leadRows() rows {
	name := v.names()
	contenders := v.contenders()
	x := contenderScale(contenders)
	drawn := rows{
		Text: v.Must("contenders.text", "leader", v.Facts().Leader), Zero: x.at(0), Ticks: v.signedTicks(x), Axis: v.Must("column.lead"),
		Table: numbers{Head: []string{v.Must("column.option"), v.Must("column.lead"), v.Must("column.least"), v.Must("column.most"), v.Must("column.evidence")}},
	}
	var list []row
	for i, c := range contenders {
		if i < mostRows {
			list = append(list, row{
				Name: name(c.Arm), Value: v.Signed(c.Lead), Range: v.interval(c.Low, c.High), Interval: true, Low: x.at(c.Low), High: x.at(c.High), At: x.at(c.Lead),
				Beyond: c.Low < x.low || c.High > x.high,
			})
		}
		drawn.Table.Rows = append(drawn.Table.Rows, []string{name(c.Arm), v.Signed(c.Lead), v.Signed(c.Low), v.Signed(c.High), v.Needed(c.Evidence)})
	}
	drawn.Groups = []group{{Rows: list}}
	return drawn
}

// chosenRows returns how many people choose the contenders over the leader, most first. Before people have compared
// the two that is not known.
func (v View) chosenRows() rows {
	name := v.names()
	contenders := slices.Clone(v.Verdict.Contenders)
	slices.SortStableFunc(contenders, func(a, b strategy.Standing) int { return cmp.Compare(b.Chosen, a.Chosen) })
	drawn := rows{
		Text: v.Must("contenders.chosen", "leader", v.Facts().Leader, "people", v.People()), Zero: -1, Axis: v.Must("column.chosen"),
		Ticks: []tick{{At: 0, Text: v.Percent(0), Anchor: anchor(0)}, {At: 50, Text: v.Percent(0.5), Anchor: anchor(50)}, {At: 100, Text: v.Percent(1), Anchor: anchor(100)}},
		Table: numbers{Head: []string{v.Must("column.option"), v.Must("column.chosen"), v.Must("column.compared"), v.Must("column.evidence")}},
	}
	x := scale{0, 1}
	var list []row
	for i, c := range contenders {
		share := "–"
		if c.Chosen > 0 {
			share = v.Percent(c.Chosen)
		}
		if i < mostRows {
			list = append(list, row{Name: name(c.Arm), Value: share, Low: x.at(c.Chosen), High: x.at(1)})
		}
		drawn.Table.Rows = append(drawn.Table.Rows, []string{name(c.Arm), share, v.Count(c.Compared), v.Needed(c.Evidence)})
	}
	drawn.Groups = []group{{Rows: list}}
	return drawn
}

// signedTicks returns round numbers on the scale of a row chart.
func (v View) signedTicks(x scale) (ticks []tick) {
	for _, n := range x.round(4) {
		at := x.percent(n)
		ticks = append(ticks, tick{At: at, Text: v.Signed(n), Anchor: anchor(at)})
	}
	return ticks
}

// interval formats the ends of an interval.
func (v View) interval(low, high float64) string {
	return v.Must("rows.range", "low", v.Signed(low), "high", v.Signed(high))
}

// contenderScale returns a scale with space for the leads and the relevant parts of the intervals.
func contenderScale(contenders []strategy.Standing) scale {
	widest := 0.5
	for _, c := range contenders {
		widest = max(widest, 2*math.Abs(c.Lead))
	}
	x := scale{-0.25 * widest, widest}
	for _, c := range contenders {
		x.low, x.high = min(x.low, max(c.Low, -widest)), max(x.high, min(c.High, 2*widest))
	}
	return x
}

// UtilityRows returns the part-worths of levels.
func (v View) UtilityRows() rows {
	worths := v.overview.Utilities
	x := utilityScale(worths)
	drawn := rows{
		ID: utilitiesChart, Title: v.Must("utilities.title"), Text: v.Must("utilities.text", "answers", v.Count(v.overview.Fitted)), Zero: x.at(0),
		Ticks: v.signedTicks(x), Axis: v.Must("column.utility"),
		Table: numbers{Head: []string{v.Must("column.attribute"), v.Must("column.level"), v.Must("column.utility"), v.Must("column.least"), v.Must("column.most")}},
	}
	for i, w := range worths {
		if i == 0 || worths[i-1].Column != w.Column {
			drawn.Groups = append(drawn.Groups, group{Name: w.Column})
		}
		low, high := w.Utility-usual*w.Error, w.Utility+usual*w.Error
		last := &drawn.Groups[len(drawn.Groups)-1]
		last.Rows = append(last.Rows, row{
			Name: w.Level, Value: v.Signed(w.Utility), Range: v.interval(low, high), Interval: true, Low: x.at(low), High: x.at(high), At: x.at(w.Utility), Beyond: low < x.low || high > x.high,
		})
		drawn.Table.Rows = append(drawn.Table.Rows, []string{w.Column, w.Level, v.Signed(w.Utility), v.Signed(low), v.Signed(high)})
	}
	return drawn.shortened(v)
}

// shortened omits levels other than the best and the worst of attributes with many levels, and
// attributes after the first ones, unless the chart is for printing.
func (r rows) shortened(v View) rows {
	const mostGroups, mostLevels = 12, 12
	left := 0
	for i := range r.Groups {
		g := &r.Groups[i]
		if len(g.Rows) > mostLevels {
			slices.SortStableFunc(g.Rows, func(a, b row) int { return cmp.Compare(b.At, a.At) })
			left += len(g.Rows) - mostLevels
			g.Rows = slices.Concat(g.Rows[:mostLevels/2], g.Rows[len(g.Rows)-mostLevels/2:])
		}
	}
	for len(r.Groups) > mostGroups {
		last := len(r.Groups) - 1
		left += len(r.Groups[last].Rows)
		r.Groups = r.Groups[:last]
	}
	if left > 0 {
		r.More = v.Must("rows.more", "count", v.Count(left))
	}
	return r
}

// utilityScale returns a scale with zero in the middle and space for all estimates.
func utilityScale(worths []encode.PartWorth) scale {
	widest := 0.2
	for _, w := range worths {
		widest = max(widest, 1.3*math.Abs(w.Utility))
	}
	for _, w := range worths {
		if reach := math.Abs(w.Utility) + usual*w.Error; reach < 2*widest {
			widest = max(widest, reach)
		}
	}
	return scale{-widest, widest}
}

// ShownRows returns how often arms were shown and picked.
func (v View) ShownRows() rows {
	counts := slices.Clone(v.overview.Arms)
	slices.SortStableFunc(counts, func(a, b overview.Count) int { return cmp.Compare(b.Shown, a.Shown) })
	name := v.names()
	x := scale{0, 1}
	if len(counts) > 0 {
		x.high = float64(counts[0].Shown)
	}
	drawn := rows{
		ID: shownChart, Title: v.Must("shown.title"), Text: v.Must("shown.text"), Zero: -1, Ticks: v.countTicks(x), Axis: v.Must("column.shown"), Legend: []string{v.Must("shown.shown"), v.Must("shown.picked")},
		Table: numbers{Head: []string{v.Must("column.option"), v.Must("column.shown"), v.Must("column.picked"), v.Must("column.share")}},
	}
	var list []row
	for i, c := range counts {
		share := float64(c.Picked) / float64(c.Shown)
		if i < mostRows {
			list = append(list, row{
				Name: name(c.Arm), Value: v.Must("shown.of", "picked", v.Count(c.Picked), "shown", v.Count(c.Shown)), Low: x.at(float64(c.Picked)), High: x.at(float64(c.Shown)),
				Marked: c.Arm == v.Verdict.Leader,
			})
		}
		if i < mostNumbers {
			drawn.Table.Rows = append(drawn.Table.Rows, []string{name(c.Arm), v.Count(c.Shown), v.Count(c.Picked), v.Percent(share)})
		}
	}
	drawn.Groups = []group{{Rows: list}}
	if more := len(counts) - len(list); more > 0 {
		drawn.More = v.Must("rows.more", "count", v.Count(more))
	}
	return drawn
}

// Estimated reports whether there are part-worths to show.
func (v View) Estimated() bool { return len(v.overview.Utilities) > 0 && !v.TooEarly() }

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
	maxRows = 10   // of a chart on the screen
	usual   = 1.96 // standard errors around an estimate
)

// ContenderRows returns the leads over the contenders or, if the majority decides, how many people choose them over
// the leader.
func (v View) ContenderRows() rows {
	drawn := v.leadRows()
	if v.ByMajority() {
		drawn = v.chosenRows()
	}
	return v.withMore(drawn, v.Verdict.Possible()-len(drawn.Groups[0].Rows))
}

// withMore returns rows that say how many are omitted.
func (v View) withMore(drawn rows, more int) rows {
	if more > 0 {
		drawn.More = v.Must("rows.more", "count", v.Count(more))
	}
	return drawn
}

// leadRows returns the leads over the contenders.
func (v View) leadRows() rows {
	name := v.names()
	contenders := v.contenders()
	x := contenderScale(contenders)
	text := v.Must("contenders.text", "leader", v.Facts().Leader)
	drawn := rows{
		chart: v.chart(contendersChart, text, "option", "lead", "least", "most", "evidence"),
		Ticks: v.signedTicks(x), Axis: v.Must("column.lead"), Groups: make([]group, 1),
	}
	for i, c := range contenders {
		if i < maxRows {
			drawn.Groups[0].Rows = append(drawn.Groups[0].Rows, v.interval(name(c.Arm), x, c.Lead, c.Low, c.High))
		}
		drawn.Table.Rows = append(drawn.Table.Rows, []string{
			name(c.Arm), v.Signed(c.Lead), v.Signed(c.Low), v.Signed(c.High), v.Needed(c.Evidence),
		})
	}
	return drawn
}

// interval returns the row of an estimate and its interval.
func (v View) interval(name string, x scale, at, low, high float64) row {
	return row{
		Name: name, Value: v.Signed(at), Range: v.Must("rows.range", "low", v.Signed(low), "high", v.Signed(high)),
		Interval: true, Low: x.at(low), High: x.at(high), At: x.at(at), Zero: x.at(0), Beyond: low < x.low || high > x.high,
	}
}

// chosenRows returns how many people choose the contenders over the leader, most first. Before people have compared
// the two that is not known.
func (v View) chosenRows() rows {
	name := v.names()
	contenders := slices.Clone(v.Verdict.Contenders)
	slices.SortStableFunc(contenders, func(a, b strategy.Standing) int { return cmp.Compare(b.Chosen, a.Chosen) })
	text := v.Must("contenders.chosen", "leader", v.Facts().Leader, "people", v.People())
	drawn := rows{
		chart: v.chart(contendersChart, text, "option", "chosen", "compared", "evidence"), Axis: v.Must("column.chosen"),
		Ticks: []tick{tickAt(0, v.Percent(0)), tickAt(50, v.Percent(0.5)), tickAt(100, v.Percent(1))}, Groups: make([]group, 1),
	}
	for i, c := range contenders {
		share := "–"
		if c.Chosen > 0 {
			share = v.Percent(c.Chosen)
		}
		if i < maxRows {
			bar := row{Name: name(c.Arm), Value: share, Low: scale{0, 1}.at(c.Chosen), High: 100}
			drawn.Groups[0].Rows = append(drawn.Groups[0].Rows, bar)
		}
		drawn.Table.Rows = append(drawn.Table.Rows, []string{name(c.Arm), share, v.Count(c.Compared), v.Needed(c.Evidence)})
	}
	return drawn
}

// signedTicks returns round numbers on the scale of a row chart.
func (v View) signedTicks(x scale) (ticks []tick) {
	for _, n := range x.round(4) {
		ticks = append(ticks, tickAt(x.at(n), v.Signed(n)))
	}
	return ticks
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
	text := v.Must("utilities.text", "answers", v.Count(v.overview.Fitted))
	drawn := rows{
		chart: v.chart(utilitiesChart, text, "attribute", "level", "utility", "least", "most"),
		Ticks: v.signedTicks(x), Axis: v.Must("column.utility"),
	}
	for i, w := range worths {
		if i == 0 || worths[i-1].Column != w.Column {
			drawn.Groups = append(drawn.Groups, group{Name: w.Column})
		}
		low, high := w.Utility-usual*w.Error, w.Utility+usual*w.Error
		last := &drawn.Groups[len(drawn.Groups)-1]
		last.Rows = append(last.Rows, v.interval(w.Level, x, w.Utility, low, high))
		drawn.Table.Rows = append(drawn.Table.Rows, []string{w.Column, w.Level, v.Signed(w.Utility), v.Signed(low), v.Signed(high)})
	}
	return v.withMore(drawn, drawn.shorten())
}

// shorten omits levels other than the best and the worst of attributes with many levels, and attributes after the first
// ones. It returns the number of omitted rows.
func (r *rows) shorten() (omitted int) {
	const maxGroups, maxLevels = 12, 12
	for i := range r.Groups {
		g := &r.Groups[i]
		if len(g.Rows) > maxLevels {
			slices.SortStableFunc(g.Rows, func(a, b row) int { return cmp.Compare(b.At, a.At) })
			omitted += len(g.Rows) - maxLevels
			g.Rows = slices.Concat(g.Rows[:maxLevels/2], g.Rows[len(g.Rows)-maxLevels/2:])
		}
	}
	for len(r.Groups) > maxGroups {
		last := len(r.Groups) - 1
		omitted += len(r.Groups[last].Rows)
		r.Groups = r.Groups[:last]
	}
	return omitted
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
		chart: v.chart(shownChart, v.Must("shown.text"), "option", "shown", "picked", "share"), Ticks: v.countTicks(x),
		Axis: v.Must("column.shown"), Legend: []string{v.Must("shown.shown"), v.Must("shown.picked")}, Groups: make([]group, 1),
	}
	for i, c := range counts {
		share := float64(c.Picked) / float64(c.Shown)
		if i < maxRows {
			drawn.Groups[0].Rows = append(drawn.Groups[0].Rows, row{
				Name: name(c.Arm), Value: v.Must("shown.of", "picked", v.Count(c.Picked), "shown", v.Count(c.Shown)),
				Low: x.at(float64(c.Picked)), High: x.at(float64(c.Shown)), Marked: c.Arm == v.Verdict.Leader,
			})
		}
		if i < maxNumbers {
			drawn.Table.Rows = append(drawn.Table.Rows, []string{name(c.Arm), v.Count(c.Shown), v.Count(c.Picked), v.Percent(share)})
		}
	}
	return v.withMore(drawn, len(counts)-maxRows)
}

// Estimated reports whether there are part-worths to show.
func (v View) Estimated() bool { return len(v.overview.Utilities) > 0 && !v.TooEarly() }

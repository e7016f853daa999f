package results

import (
	"cmp"
	"math"
	"slices"

	"bestpick/internal/catalogue/encode"
)

// maxRanked is the maximum number of rows of the ranking as a chart. The table has all.
const maxRanked = 100

// RankedRows returns the chart of all arms by the share of people who choose them over the leader, in tiers: each arm of a
// tier is shown to rank before all arms of later ones.
func (v View) RankedRows() rows {
	list := v.Ranking()
	leader := v.Facts().Leader
	text := v.Must("ranked.early")
	if leader != "" {
		text = v.SharesText()
	}
	drawn := rows{
		chart: v.chart(rankedChart, text, "option", "estimate", "least", "most"),
		Ticks: []tick{tickAt(0, v.Percent(0)), tickAt(50, v.Percent(0.5)), tickAt(100, v.Percent(1))},
	}
	last := 0
	for i, r := range list {
		if r.Withdrawn {
			continue
		}
		if i == 0 || last == i && r.Bounded {
			drawn.Groups = append(drawn.Groups, group{})
		}
		last = max(last, r.Last)
		if !r.Bounded {
			last = len(list)
		}
		if i < maxRanked {
			tier := &drawn.Groups[len(drawn.Groups)-1]
			tier.Rows = append(tier.Rows, v.rankedRow(r, leader))
		}
		drawn.Table.Rows = append(drawn.Table.Rows, v.rankedNumbers(r))
	}
	if len(drawn.Groups) > 1 {
		for i := range drawn.Groups {
			drawn.Groups[i].Name = v.Must("ranked.tier", "number", i+1)
		}
	}
	return v.withMore(drawn, len(list)-maxRanked)
}

// rankedRow returns the row of an arm in the ranking.
func (v View) rankedRow(r armRow, leader string) row {
	x := scale{0, 1}
	drawn := row{
		Name: r.Name, Picture: r.Picture, Standing: r.Standing, Marked: r.Leading, Zero: 50,
		Range: v.Must("ranked.counts", "shown", v.Count(r.Shown), "picked", v.Count(r.Picked)),
	}
	switch {
	case r.Leading && r.Standing == standingOut: // there is no favourite
		drawn.Value = v.Must("standing." + standingLeader)
	case r.Leading:
		drawn.Value = v.Must("standing." + r.Standing)
	case r.Estimated:
		drawn.Value = v.Percent(r.Estimate)
		if r.Compared > 0 {
			drawn.Range = v.Must("ranked.duel", "chosen", v.Count(r.Chosen), "compared", v.Count(r.Compared), "leader", v.Quote(leader)) +
				" " + drawn.Range
		}
		if r.Bounded {
			drawn.Range = v.Must("ranked.range", "low", v.Percent(r.Low), "high", v.Percent(r.High)) + " " + drawn.Range
		}
		drawn.Interval, drawn.At, drawn.Low, drawn.High = true, x.at(r.Estimate), x.at(r.Estimate), x.at(r.Estimate)
		if r.Bounded {
			drawn.Low, drawn.High = x.at(r.Low), x.at(r.High)
		}
	case r.Shown > 0 && leader == "":
		drawn.Value = v.Must("shown.of", "picked", v.Count(r.Picked), "shown", v.Count(r.Shown))
		drawn.Low, drawn.High = x.at(float64(r.Picked)/float64(r.Shown)), 100
	}
	return drawn
}

// rankedNumbers returns the row of an arm in the table of the ranking.
func (v View) rankedNumbers(r armRow) []string {
	cells := []string{r.Name, "–", "–", "–"}
	if r.Estimated && !r.Leading {
		cells[1] = v.Percent(r.Estimate)
	}
	if r.Bounded && !r.Leading {
		cells[2], cells[3] = v.Percent(r.Low), v.Percent(r.High)
	}
	return cells
}

// withMore returns rows that say how many are omitted.
func (v View) withMore(drawn rows, more int) rows {
	if more > 0 {
		drawn.More = v.Must("rows.more", "count", v.Count(more))
	}
	return drawn
}

// An attribute has its importance: the difference in utility between its best and its worst level.
type attribute struct {
	name, best, worst string
	reach             float64
	clear             bool // the difference is larger than chance explains
}

// attributes returns the attributes of the arms, the most important first.
func attributes(worths []encode.PartWorth) (list []attribute) {
	const usual = 1.96 // standard errors
	for from := 0; from < len(worths); {
		to := from
		for to < len(worths) && worths[to].Column == worths[from].Column {
			to++
		}
		levels := worths[from:to]
		utility := func(a, b encode.PartWorth) int { return cmp.Compare(a.Utility, b.Utility) }
		best, worst := slices.MaxFunc(levels, utility), slices.MinFunc(levels, utility)
		reach := best.Utility - worst.Utility
		list = append(list, attribute{best.Column, best.Level, worst.Level, reach, reach > usual*math.Hypot(best.Error, worst.Error)})
		from = to
	}
	slices.SortStableFunc(list, func(a, b attribute) int { return cmp.Compare(b.reach, a.reach) })
	return list
}

// ImportanceRows returns how much each attribute matters, relative to all of them.
func (v View) ImportanceRows() rows {
	const most = 12
	list, sum := attributes(v.overview.Utilities), 0.0
	for _, a := range list {
		sum += a.reach
	}
	drawn := rows{
		chart: v.chart(importanceChart, v.Must("importance.text", "answers", v.Count(v.overview.Fitted)),
			"attribute", "importance", "level"),
		Groups: make([]group, 1),
	}
	for i, a := range list {
		share, prefers := a.reach/max(sum, math.SmallestNonzeroFloat64), v.Must("importance.unclear")
		if a.clear {
			prefers = v.Must("importance.prefers", "best", a.best, "worst", a.worst)
		}
		if i < most {
			drawn.Groups[0].Rows = append(drawn.Groups[0].Rows, row{
				Name: a.name, About: prefers, Value: v.Percent(share), Low: scale{0, 1}.at(share), High: 100,
			})
		}
		drawn.Table.Rows = append(drawn.Table.Rows, []string{a.name, v.Percent(share), prefers})
	}
	return v.withMore(drawn, len(list)-most)
}

// Estimated reports whether there are attributes, and estimates of their importance.
func (v View) Estimated() bool {
	return v.Drawn() && len(v.overview.Utilities) > 0 && !v.TooEarly() && len(v.arms.Card(0).Attributes) > 0
}

package paper

import (
	"fmt"
	"math"
)

// times returns about ten looks for every power of ten from one number of questions to
// another.
func times(from, to int) []int {
	var all []int
	for i := 0; ; i++ {
		t := int(math.Round(float64(from) * math.Pow(10, float64(i)/10)))
		if t >= to {
			return append(all, to)
		}
		if len(all) == 0 || t > all[len(all)-1] {
			all = append(all, t)
		}
	}
}

// Figure3 is the share of runs whose best arm by the estimate is the true one, against
// the number of questions, for pairs: static and adaptive against GLGapE with the paper's confidence
// radius and with that of Kazerouni and Wein.
func Figure3(d int, looks []int) Exhibit {
	var cells []Cell
	for _, strategy := range []string{static, adaptive, glgape, glgapeKW} {
		c := cellOf(strategy, d, 2)
		c.Times = looks
		cells = append(cells, c)
	}
	return Exhibit{
		Name: "figure3", Title: fmt.Sprintf("Figure 3: runs with the right estimate, K = 2, d = %d", d),
		Caption: "Share of runs in which the best arm by the estimate at that time is the true one. At the beginning of a " +
			"batch the adaptive strategy has discarded all earlier answers. GLGapE has the paper's confidence radius, or its own, " +
			"that of Kazerouni and Wein.",
		Cells: cells, Runs: 100,
		table: func(r Results) *Table {
			t := &Table{Header: []string{"strategy", "t", "runs", "share", "se"}}
			for _, c := range cells {
				for _, at := range r.accuracy(c) {
					t.add(c.Strategy, at.X, len(r[c.Key()]), at.Y, at.SE)
				}
			}
			return t
		},
		chart:    func(r Results) Chart { return accuracyChart(cells, r) },
		findings: func(r Results) []Finding { return accuracyFindings(cells, r) },
	}
}

// accuracy returns the share of runs that were right at every look.
func (r Results) accuracy(c Cell) (at []Point) {
	runs := float64(len(r[c.Key()]))
	for i, t := range c.Times {
		right := 0.0
		for _, record := range r[c.Key()] {
			if record.Right[i] == '1' {
				right++
			}
		}
		share := right / runs
		at = append(at, Point{float64(t), share, math.Sqrt(share * (1 - share) / runs)})
	}
	return at
}

func accuracyChart(cells []Cell, r Results) Chart {
	c := Chart{X: questions(), Y: Axis{Label: "share of runs with the right estimate", High: 1}}
	for _, cell := range cells {
		c.Series = append(c.Series, curveOf(cell.Strategy, r.accuracy(cell)))
	}
	return c
}

// accuracyFindings compares the paper's strategies, the first two cells, with each variant of GLGapE.
func accuracyFindings(cells []Cell, r Results) []Finding {
	says := map[string]string{
		static: "BAI-Lin-MNL identifies the best arm with the same probability as GLGapE or higher.",
		adaptive: "So does BAI-Lin-MNL-Adap, although not significantly, with fluctuations where a batch begins and all " +
			"earlier answers are discarded.",
	}
	var all []Finding
	for _, other := range cells[2:] {
		for _, c := range cells[:2] {
			mean, otherMean, below := compareAccuracy(r.accuracy(c), r.accuracy(other))
			all = append(all, Finding{
				Paper: says[c.Strategy],
				Here: fmt.Sprintf("Right in %.0f %% of the runs on average over the looks, %s in %.0f %%; clearly below it at %d "+
					"of %d looks.", 100*mean, nameOf(other.Strategy), 100*otherMean, below, len(c.Times)),
				Agrees: mean >= otherMean && (below == 0 || c.Strategy == adaptive), // its fluctuations are in the paper, too
			})
		}
	}
	return all
}

// compareAccuracy returns the means of two curves, and at how many looks the first is clearly below
// the other: by three standard errors of the difference, which chance alone does at one in 700 looks.
func compareAccuracy(mine, other []Point) (mean, otherMean float64, below int) {
	for i := range mine {
		if mine[i].Y < other[i].Y-3*math.Hypot(mine[i].SE, other[i].SE) {
			below++
		}
		mean += mine[i].Y / float64(len(mine))
		otherMean += other[i].Y / float64(len(mine))
	}
	return mean, otherMean, below
}

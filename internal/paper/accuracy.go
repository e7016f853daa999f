package paper

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
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
					t.add(c.Strategy, at.x, len(r[c.Key()]), at.y, at.se)
				}
			}
			return t
		},
		draw:     func(r Results) (*plot.Plot, error) { return drawAccuracy(cells, r) },
		findings: func(r Results) []Finding { return accuracyFindings(cells, r) },
	}
}

// accuracy returns the share of runs that were right at every look.
func (r Results) accuracy(c Cell) points {
	var at points
	runs := float64(len(r[c.Key()]))
	for i, t := range c.Times {
		right := 0.0
		for _, record := range r[c.Key()] {
			if record.Right[i] == '1' {
				right++
			}
		}
		share := right / runs
		at = append(at, point{float64(t), share, math.Sqrt(share * (1 - share) / runs)})
	}
	return at
}

func drawAccuracy(cells []Cell, r Results) (*plot.Plot, error) {
	p := newPlot("questions", "share of runs with the right estimate")
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	for _, c := range cells {
		if err := addCurve(p, c.Strategy, r.accuracy(c)); err != nil {
			return nil, err
		}
	}
	p.X.Min, p.X.Max = p.X.Min*0.9, p.X.Max*1.1
	p.Y.Min, p.Y.Max = 0, 1.03
	p.Legend.Left, p.Legend.Top = false, false
	return p, nil
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
func compareAccuracy(mine, other points) (mean, otherMean float64, below int) {
	for i := range mine {
		if mine[i].y < other[i].y-3*math.Hypot(mine[i].se, other[i].se) {
			below++
		}
		mean += mine[i].y / float64(len(mine))
		otherMean += other[i].y / float64(len(mine))
	}
	return mean, otherMean, below
}

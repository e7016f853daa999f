package paper

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"bestpick/simulate"
)

// Figure2 is the share of pulls of each arm, by the static and the adaptive strategy.
func Figure2(d int) Exhibit {
	cells := []Cell{cellOf(static, d, 3), cellOf(adaptive, d, 3)}
	return Exhibit{
		Name: "figure2", Title: fmt.Sprintf("Figure 2: how often each arm is pulled, d = %d, K = 3", d),
		Caption: fmt.Sprintf("Share of the slots that showed each arm, with bars of one standard error over runs. Arm %d is "+
			"nearly arm 1; arm 2 is where they differ.", d+1),
		Cells: cells, Runs: 10,
		table: func(r Results) *Table {
			t := &Table{Header: []string{"strategy", "arm", "runs", "share", "se"}}
			for _, c := range cells {
				for arm, share := range r.shares(c) {
					t.add(c.Strategy, fmt.Sprint("a", arm+1), len(r[c.Key()]), share.y, errorOf(share.se, r[c.Key()]))
				}
			}
			return t
		},
		draw:     func(r Results) (*plot.Plot, error) { return drawProfile(cells, r) },
		findings: func(r Results) []Finding { return profileFindings(cells, r) },
	}
}

// shares returns the mean over runs of each arm's share of the slots.
func (r Results) shares(c Cell) points {
	var at points
	for arm := range c.D + 1 {
		var shares []float64
		for _, record := range r[c.Key()] {
			slots := 0
			for _, shown := range record.Shown {
				slots += shown
			}
			shares = append(shares, float64(record.Shown[arm])/float64(slots))
		}
		s := simulate.SpreadOf(shares)
		at = append(at, point{float64(arm), s.Mean, s.SE})
	}
	return at
}

func drawProfile(cells []Cell, r Results) (*plot.Plot, error) {
	p := newPlot("arm", "share of pulls")
	const half = 9 // points
	var names []string
	for arm := range cells[0].D + 1 {
		names = append(names, fmt.Sprint("a", arm+1))
	}
	for i, c := range cells {
		shares := r.shares(c)
		bars, err := plotter.NewBarChart(shares, vg.Points(2*half))
		if err != nil {
			return nil, err
		}
		bars.Offset = vg.Points(half * float64(2*i-1))
		bars.Color = color.Color(color.White)
		if c.Strategy == adaptive {
			bars.Color = color.Gray{120}
		}
		p.Add(bars)
		p.Legend.Add(nameOf(c.Strategy), bars)
		if len(r[c.Key()]) < 2 {
			continue // a single run has no standard error
		}
		errors, err := plotter.NewYErrorBars(shares)
		if err != nil {
			return nil, err
		}
		p.Add(offsetErrors{errors, bars.Offset})
	}
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.5, float64(cells[0].D)+0.5
	p.Y.Min = 0
	p.Y.Max *= 1.2 // room for the legend
	p.Legend.Top = true
	return p, nil
}

func profileFindings(cells []Cell, r Results) []Finding {
	fixed, batched := r.shares(cells[0]), r.shares(cells[1])
	most, even := 0, 1/float64(len(fixed))
	least, largest := 1.0, 0.0
	for arm := range fixed {
		if batched[arm].y > batched[most].y {
			most = arm
		}
		least, largest = min(least, fixed[arm].y), max(largest, fixed[arm].y)
	}
	return []Finding{
		{
			Paper: "BAI-Lin-MNL-Adap pulls arm a2 more often, as it helps in telling the two best arms apart.",
			Here: fmt.Sprintf("It pulls a%d most, in %.0f %% of the slots; a2 in %.0f %%.", most+1, 100*batched[most].y,
				100*batched[1].y),
			Agrees: most == 1,
		},
		{
			Paper: "A static allocation explores all directions uniformly.",
			Here: fmt.Sprintf("Its shares lie between %.1f %% and %.1f %%; even shares would be %.1f %%.", 100*least,
				100*largest, 100*even),
			Agrees: least > even/2 && largest < even*1.5,
		},
	}
}

package paper

import (
	"fmt"

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
					t.add(c.Strategy, fmt.Sprint("a", arm+1), len(r[c.Key()]), share.Y, errorOf(share.SE, r[c.Key()]))
				}
			}
			return t
		},
		chart:    func(r Results) Chart { return profileChart(cells, r) },
		findings: func(r Results) []Finding { return profileFindings(cells, r) },
	}
}

// shares returns the mean over runs of each arm's share of the slots.
func (r Results) shares(c Cell) (at []Point) {
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
		at = append(at, Point{float64(arm), s.Mean, s.SE})
	}
	return at
}

func profileChart(cells []Cell, r Results) Chart {
	c := Chart{Y: Axis{Label: "share of pulls"}}
	var names []string
	for arm := range cells[0].D + 1 {
		names = append(names, fmt.Sprint("a", arm+1))
	}
	c.X = categories("arm", names)
	const half = 0.2
	for i, cell := range cells {
		s := Series{Name: nameOf(cell.Strategy), At: r.shares(cell), Style: Style{Colour: black, Fill: white, Bar: 2 * half}}
		if cell.Strategy == adaptive {
			s.Fill = "#999"
		}
		for arm := range s.At {
			s.At[arm].X += half * float64(2*i-1)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func profileFindings(cells []Cell, r Results) []Finding {
	fixed, batched := r.shares(cells[0]), r.shares(cells[1])
	most, even := 0, 1/float64(len(fixed))
	least, largest := 1.0, 0.0
	for arm := range fixed {
		if batched[arm].Y > batched[most].Y {
			most = arm
		}
		least, largest = min(least, fixed[arm].Y), max(largest, fixed[arm].Y)
	}
	return []Finding{
		{
			Paper: "BAI-Lin-MNL-Adap pulls arm a2 more often, as it helps in telling the two best arms apart.",
			Here: fmt.Sprintf("It pulls a%d most, in %.0f %% of the slots; a2 in %.0f %%.", most+1, 100*batched[most].Y,
				100*batched[1].Y),
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

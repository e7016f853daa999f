package paper

import (
	"fmt"
	"math"

	"bestpick/simulate"
)

// printed is a line of Table 1 as the paper has it.
type printed struct {
	cell     Cell
	mean, se float64
	within   float64 // how near is called agreement, beside two standard errors
}

// Table1 is the stopping time with Gaussian instead of softmax picks, with K = 3. The
// adaptive strategy is there twice: with the α that Soare et al. use, and with one that
// was chosen because it meets the paper's number, which does not say what the paper
// used.
func Table1(d int) Exhibit {
	gaussian := func(strategy string, alpha float64) Cell {
		return Cell{Strategy: strategy, D: d, K: 3, Gaussian: true, Alpha: alpha}
	}
	lines := []printed{
		{gaussian(random, 0), 181_370, 1_085, 0.05},
		{gaussian(static, 0), 166_761, 893, 0.03},
		{gaussian(adaptive, alphaToMeet), 23_916, 713, 0.10},
		{gaussian(adaptive, alphaOfSoare), 23_916, 713, 0.10},
	}
	var cells []Cell
	for _, line := range lines {
		cells = append(cells, line.cell)
	}
	return Exhibit{
		Name: "table1", Title: fmt.Sprintf("Table 1: robustness to Gaussian noise, d = %d, K = 3", d),
		Caption: "Mean number of questions before stopping, with standard errors; the picture has bars of two. The paper does " +
			"not state α: 0.085 was chosen to meet its number.",
		Cells: cells, Runs: 10,
		table: func(r Results) *Table {
			t := stoppingTable(cells, r)
			t.Header = append(t.Header, "paper_mean", "paper_se")
			for i, line := range lines {
				t.Rows[i] = append(t.Rows[i], fmt.Sprint(line.mean), fmt.Sprint(line.se))
			}
			return t
		},
		chart:    func(r Results) Chart { return robustnessChart(lines, r) },
		findings: func(r Results) []Finding { return robustnessFindings(lines, r) },
	}
}

func robustnessChart(lines []printed, r Results) Chart {
	paper := Series{Name: "paper", Style: Style{Colour: grey, Fill: white, Mark: circle}}
	here := Series{Name: "here", Style: Style{Colour: black, Fill: black, Mark: circle}}
	var names []string
	for i, line := range lines {
		q := r.questions(line.cell)
		paper.At = append(paper.At, Point{float64(i) - 0.1, line.mean, 2 * line.se})
		here.At = append(here.At, Point{float64(i) + 0.1, q.Mean, 2 * q.SE})
		name := nameOf(line.cell.Strategy)
		if line.cell.Alpha != 0 {
			name = fmt.Sprintf("…-Adap\nα = %g", line.cell.Alpha)
		}
		names = append(names, name)
	}
	return Chart{X: categories("", names), Y: questions(), Series: []Series{paper, here}}
}

func robustnessFindings(lines []printed, r Results) []Finding {
	var all []Finding
	correct, runs := 0, 0
	most, fewest := 0.0, math.Inf(1)
	for _, line := range lines {
		q := r.questions(line.cell)
		name := nameOf(line.cell.Strategy)
		if line.cell.Alpha != 0 {
			name += fmt.Sprintf(", α = %g", line.cell.Alpha)
		}
		off, noise := q.Mean/line.mean-1, 2*math.Hypot(q.SE, line.se)/line.mean
		all = append(all, Finding{
			Paper: fmt.Sprintf("%s: %s ± %s.", nameOf(line.cell.Strategy), thousands(line.mean), thousands(line.se)),
			Here: fmt.Sprintf("%s: %s, %+.1f %%; agreement is up to %.0f %% more or less, plus two standard errors of the "+
				"difference.", name, withError(q, len(r[line.cell.Key()])), 100*off, 100*line.within),
			Agrees: math.Abs(off) <= line.within+noise,
		})
		if line.cell.Strategy != adaptive {
			fewest = min(fewest, q.Mean)
		} else {
			most = max(most, q.Mean)
		}
		correct += r.correct(line.cell)
		runs += len(r[line.cell.Key()])
	}
	return append(all, Finding{
		Paper: "BAI-Lin-MNL-Adap outperforms both strategies while also returning the correct best arm.",
		Here: fmt.Sprintf("It asks %s on average at most, the others %s at least; %d of %d runs of all strategies returned "+
			"the best arm.", thousands(most), thousands(fewest), correct, runs),
		Agrees: correct == runs && most < fewest,
	})
}

// withError writes a mean with its standard error, which a single run does not have.
func withError(q simulate.Spread, runs int) string {
	if runs < 2 {
		return thousands(q.Mean) + " (1 run)"
	}
	return thousands(q.Mean) + " ± " + thousands(q.SE)
}

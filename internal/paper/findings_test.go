package paper_test

import (
	"strings"
	"testing"

	"bestpick/internal/paper"
)

// made returns results of two runs of every cell, with the questions and shares given.
func made(
	e paper.Exhibit, questions func(paper.Cell) int, correct bool, right func(c paper.Cell, look int) bool,
	shown func(c paper.Cell, arm int) int,
) paper.Results {
	var records []paper.Record
	for _, c := range e.Cells {
		for run := range 2 {
			r := paper.Record{Cell: c.Key(), Run: run, Questions: questions(c), Stopped: true, Correct: correct}
			for arm := range c.D + 1 {
				r.Shown = append(r.Shown, shown(c, arm))
			}
			for look := range c.Times {
				r.Right += map[bool]string{true: "1", false: "0"}[right(c, look)]
			}
			records = append(records, r)
		}
	}
	return paper.NewResults(records, 2)
}

// TestFindingsCanDiffer: every statement of the paper is found to hold on results made to
// fit it, and not to hold on results made not to.
func TestFindingsCanDiffer(t *testing.T) {
	exhibits := map[string]paper.Exhibit{}
	for _, e := range paper.Exhibits() {
		exhibits[e.Name] = e
	}
	d2 := func(c paper.Cell) int { // as the paper reads Figure 1
		if c.Strategy == "adaptive" {
			return 100 * c.D
		}
		return 1000 * c.D * c.D * 60 / c.K
	}
	slow := func(c paper.Cell) int { // everything grows with d and K, the adaptive strategy most
		if c.Strategy == "adaptive" {
			return 9000 * c.D * c.D * c.D * c.K
		}
		return 1000 * c.D * c.D * c.D * c.K
	}
	table := func(c paper.Cell) int {
		return map[string]int{"random": 181_000, "static": 166_000, "adaptive": 24_000}[c.Strategy]
	}
	never := func(paper.Cell, int) bool { return false }
	even := func(paper.Cell, int) int { return 100 }
	asPaper := func(c paper.Cell, arm int) int {
		if c.Strategy == "adaptive" && arm == 1 {
			return 300
		}
		return 100
	}
	onlyFirst := func(_ paper.Cell, arm int) int {
		if arm == 0 {
			return 1000
		}
		return 1
	}
	for _, c := range []struct {
		exhibit string
		results paper.Results
		agree   bool
	}{
		{"figure1a", made(exhibits["figure1a"], d2, true, never, even), true},
		{"figure1a", made(exhibits["figure1a"], slow, true, never, even), false},
		{"figure1b", made(exhibits["figure1b"], d2, true, never, even), true},
		{"figure1b", made(exhibits["figure1b"], slow, true, never, even), false},
		{"figure2", made(exhibits["figure2"], d2, true, never, asPaper), true},
		{"figure2", made(exhibits["figure2"], d2, true, never, onlyFirst), false},
		{"table1", made(exhibits["table1"], table, true, never, even), true},
		{"table1", made(exhibits["table1"], slow, false, never, even), false},
		{"figure3", made(exhibits["figure3"], d2, true,
			func(c paper.Cell, _ int) bool { return !strings.HasPrefix(c.Strategy, "glgape") }, even), true},
		{"figure3", made(exhibits["figure3"], d2, true,
			func(c paper.Cell, _ int) bool { return strings.HasPrefix(c.Strategy, "glgape") }, even), false},
	} {
		for _, f := range exhibits[c.exhibit].Findings(c.results) {
			if f.Agrees != c.agree {
				t.Errorf("%s: %q, %q, agrees: %v", c.exhibit, f.Paper, f.Here, f.Agrees)
			}
		}
	}
}

// TestExponents: a power law is found as it is.
func TestExponents(t *testing.T) {
	e := paper.Figure1a([]int{3, 4, 5, 6})
	r := made(e, func(c paper.Cell) int { return 1000 * c.D * c.D * c.D }, true,
		func(paper.Cell, int) bool { return true }, func(paper.Cell, int) int { return 1 })
	if f := e.Findings(r)[0]; !strings.Contains(f.Here, "exponent 3.00 ± 0.00") {
		t.Errorf("for d³: %s", f.Here)
	}
}

// TestOneRunHasNoError: a mean of one run is printed without a standard error.
func TestOneRunHasNoError(t *testing.T) {
	e := paper.Table1(7)
	for runs, want := range map[int]string{1: "24,000 (1 run), ", 2: "24,000 ± 0, "} {
		var records []paper.Record
		for _, c := range e.Cells {
			for run := range runs {
				records = append(records, paper.Record{Cell: c.Key(), Run: run, Questions: 24_000, Shown: make([]int, 8)})
			}
		}
		if f := e.Findings(paper.NewResults(records, runs))[0]; !strings.Contains(f.Here, want) {
			t.Errorf("%d runs: %s", runs, f.Here)
		}
	}
}

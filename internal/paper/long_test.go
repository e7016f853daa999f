//go:build long

package paper_test

import (
	"strings"
	"testing"

	"bestpick/internal/paper"
)

// TestLongExhibits redoes all exhibits with the paper's numbers of runs and checks what
// docs/reproduction.md says of them. What the paper says about the growth in d, and that
// the adaptive strategy wins even at d = 3, does not come out, and neither does Table 1
// with the α of Soare et al.
func TestLongExhibits(t *testing.T) {
	differs := []string{"d to the power 2", "Adap performs significantly better", "α = 0.1:"}
	var jobs []paper.Job
	planned := map[string]bool{}
	for _, e := range paper.Exhibits() {
		for _, c := range e.Cells {
			if planned[c.Key()] {
				continue
			}
			planned[c.Key()] = true
			for r := range e.Runs {
				jobs = append(jobs, paper.Job{Cell: c, Run: r})
			}
		}
	}
	var records []paper.Record
	err := paper.Do(t.Context(), jobs, 1, 0, func(_ paper.Job, r paper.Record) error {
		records = append(records, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range paper.Exhibits() {
		for _, f := range e.Findings(paper.NewResults(records, e.Runs)) {
			known := false
			for _, text := range differs {
				known = known || strings.Contains(f.Paper+f.Here, text)
			}
			if e.Name == "figure1b" && !f.Agrees || f.Agrees == known && e.Name != "figure1b" {
				t.Errorf("%s: %s %s agrees: %v", e.Name, f.Paper, f.Here, f.Agrees)
			}
			t.Logf("%s: %s Agrees: %v", e.Name, f.Here, f.Agrees)
		}
	}
}

package paper_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"flag"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/paper"
)

var update = flag.Bool("update", false, "write the golden files anew")

// small are the five exhibits at settings that take a second, with how many runs.
func small() map[string]struct {
	exhibit paper.Exhibit
	runs    int
} {
	type entry = struct {
		exhibit paper.Exhibit
		runs    int
	}
	return map[string]entry{
		"figure1a": {paper.Figure1a([]int{2, 3}), 2},
		"figure1b": {paper.Figure1b(2, []int{2, 3}), 2},
		"figure2":  {paper.Figure2(3), 2},
		"table1":   {paper.Table1(2), 2},
		"figure3":  {paper.Figure3(3, []int{5, 20, 50, 100}), 5},
	}
}

// run does all runs of an exhibit.
func run(t *testing.T, e paper.Exhibit, runs, workers int) paper.Results {
	t.Helper()
	var jobs []paper.Job
	for _, c := range e.Cells {
		for r := range runs {
			jobs = append(jobs, paper.Job{Cell: c, Run: r})
		}
	}
	var records []paper.Record
	err := paper.Do(t.Context(), jobs, 1, workers, func(_ paper.Job, r paper.Record) error {
		records = append(records, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	results := paper.NewResults(records, runs)
	if !results.Complete(e, runs) {
		t.Fatalf("%s is not complete", e.Name)
	}
	return results
}

func table(t *testing.T, e paper.Exhibit, r paper.Results) string {
	t.Helper()
	var text bytes.Buffer
	if err := e.Table(r).WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestGolden: the numbers behind every exhibit at a small setting, whatever the number
// of workers, and pictures that are there.
func TestGolden(t *testing.T) {
	for name, s := range small() {
		t.Run(name, func(t *testing.T) {
			if s.exhibit.Name != name {
				t.Errorf("it is called %s", s.exhibit.Name)
			}
			results := run(t, s.exhibit, s.runs, 1)
			got := table(t, s.exhibit, results)
			if again := table(t, s.exhibit, run(t, s.exhibit, s.runs, 3)); again != got {
				t.Errorf("three workers have other numbers:\n%s", cmp.Diff(got, again))
			}
			path := filepath.Join("testdata", "golden", name+".csv")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want := must(os.ReadFile(path))
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("other numbers than in %s:\n%s", path, diff)
			}
			checkPicture(t, s.exhibit, results)
		})
	}
}

// checkPicture parses a picture and looks for the labels of its axes and for error bars. It fails if a text reaches
// into the margin or another text. Characters are taken as 0.57 of the font size wide, the average of digits and letters
// in Arial, and lines as 14 high.
func checkPicture(t *testing.T, e paper.Exhibit, r paper.Results) {
	t.Helper()
	content := e.Draw(r)
	var picture struct {
		Width  float64 `xml:"width,attr"`
		Height float64 `xml:"height,attr"`
		Texts  []struct {
			X      float64 `xml:"x,attr"`
			Y      float64 `xml:"y,attr"`
			Anchor string  `xml:"text-anchor,attr"`
			Text   string  `xml:",chardata"`
		} `xml:"text"`
		Upright string `xml:"g>text"`
		Paths   []struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
	}
	if err := xml.Unmarshal(content, &picture); err != nil {
		t.Fatal(err)
	}
	const beside = 32 // the right end of the upright text
	texts := []string{picture.Upright}
	var boxes []image.Rectangle
	for _, text := range picture.Texts {
		texts = append(texts, text.Text)
		wide := 0.57 * 14 * float64(utf8.RuneCountInString(text.Text))
		left := text.X - wide*map[string]float64{"start": 0, "middle": 0.5, "end": 1}[text.Anchor]
		box := image.Rect(int(left), int(text.Y-12), int(left+wide), int(text.Y+2))
		if within := image.Rect(beside, 8, int(picture.Width-8), int(picture.Height-8)); !box.In(within) {
			t.Errorf("%q at %v is not within %v", text.Text, box, within)
		}
		for _, other := range boxes {
			if box.Overlaps(other) {
				t.Errorf("%q at %v covers a text at %v", text.Text, box, other)
			}
		}
		boxes = append(boxes, box)
	}
	axis := map[string]string{
		"figure1a": "dimension d", "figure1b": "arms in a question K", "figure2": "share of pulls",
		"table1": "questions", "figure3": "share of runs with the right estimate",
	}[e.Name]
	if !slices.Contains(texts, axis) {
		t.Errorf("no axis says %q", axis)
	}
	errors := 0
	for _, path := range picture.Paths {
		if strings.ContainsAny(path.D, "NI") { // of NaN and Inf
			t.Errorf("the path %s has no place", path.D)
		}
		errors += strings.Count(path.D, "m-4,0h8M")
	}
	if errors == 0 {
		t.Error("no error bars")
	}
	if !bytes.Equal(e.Draw(r), content) {
		t.Error("drawn again it differs")
	}
}

// TestRunsStandAlone: a run does not depend on which others there are, so that a
// reproduction can go on where it was, and exhibits can share cells.
func TestRunsStandAlone(t *testing.T) {
	e := paper.Figure2(3)
	all := run(t, e, 3, 2)
	var alone []paper.Record
	err := paper.Do(t.Context(), []paper.Job{{Cell: e.Cells[0], Run: 2}}, 1, 1, func(_ paper.Job, r paper.Record) error {
		alone = append(alone, r)
		return nil
	})
	if err != nil || len(alone) != 1 {
		t.Fatal(len(alone), err)
	}
	if diff := cmp.Diff(all[e.Cells[0].Key()][2], alone[0]); diff != "" {
		t.Error(diff)
	}
}

// TestDoStops: Do stops at an error of the callback, and when the context ends.
func TestDoStops(t *testing.T) {
	c := paper.Figure2(2).Cells[1]
	jobs := make([]paper.Job, 20)
	for i := range jobs {
		jobs[i] = paper.Job{Cell: c, Run: i}
	}
	full := errors.New("disk full")
	kept := 0
	err := paper.Do(t.Context(), jobs, 1, 2, func(paper.Job, paper.Record) error {
		if kept++; kept == 3 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || kept != 3 {
		t.Errorf("kept %d: %v", kept, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	kept = 0
	err = paper.Do(ctx, jobs, 1, 1, func(paper.Job, paper.Record) error {
		if kept++; kept == 2 {
			cancel()
		}
		return nil
	})
	if err != nil || kept != 2 {
		t.Errorf("kept %d: %v", kept, err)
	}
}

// TestResults: second records of a run and runs beyond those asked for do not count.
func TestResults(t *testing.T) {
	c := paper.Figure2(2).Cells[0]
	r := paper.NewResults([]paper.Record{
		{Cell: c.Key(), Run: 1, Questions: 5}, {Cell: c.Key(), Run: 7}, {Cell: c.Key(), Run: 1, Questions: 5},
	}, 3)
	for run, want := range map[int]bool{0: false, 1: true, 2: false, 7: false} {
		if r.Has(c, run) != want {
			t.Errorf("run %d is there: %v", run, !want)
		}
	}
}

// TestCellsAreShared: the same setting is the same cell in every exhibit, and different
// settings are not.
func TestCellsAreShared(t *testing.T) {
	settings := map[string]paper.Cell{}
	shared := 0
	for _, e := range paper.Exhibits() {
		for _, c := range e.Cells {
			if before, there := settings[c.Key()]; there {
				shared++
				if diff := cmp.Diff(before, c); diff != "" {
					t.Errorf("two cells are called %s:\n%s", c.Key(), diff)
				}
			}
			settings[c.Key()] = c
			if c.Cost() <= 0 {
				t.Errorf("%s costs %v", c.Key(), c.Cost())
			}
		}
	}
	// d = 7, K = 3 of three strategies is in both parts of Figure 1; d = 5 of two in 1a and 2.
	if shared != 5 {
		t.Errorf("%d cells are shared", shared)
	}
}

// TestReport: one page that needs nothing else, with every exhibit and every setting.
func TestReport(t *testing.T) {
	report := must(paper.NewReport("9.9.9", 1))
	for _, name := range []string{"figure1a", "figure1b", "figure2", "table1", "figure3"} {
		s := small()[name]
		report.Add(s.exhibit, run(t, s.exhibit, s.runs, 0), s.runs)
	}
	var page bytes.Buffer
	if err := report.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"bestpick 9.9.9", "Figure 1a", "Figure 1b", "Figure 2", "Table 1", "Figure 3", "181,370 ± 1,085", "κ of the bound",
		"Fewer runs than in the paper", "up to 12 times fewer",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := strings.Count(page.String(), `xml;base64,`); n != 5 {
		t.Errorf("%d pictures are on the page", n)
	}
	for _, outside := range []string{"http://", "https://", "<script", "<link", `src="figure`} {
		if strings.Contains(page.String(), outside) {
			t.Errorf("the page refers to something outside: %s", outside)
		}
	}
	if strings.Contains(page.String(), "ZgotmplZ") {
		t.Error("the template refused a value")
	}
}

// TestCSVCanBeRead back, with as many fields in each row as in the header.
func TestCSVCanBeRead(t *testing.T) {
	s := small()["table1"]
	rows, err := csv.NewReader(strings.NewReader(table(t, s.exhibit, run(t, s.exhibit, 1, 0)))).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Errorf("%d rows: %v", len(rows), err)
	}
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

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

// Package paper reproduces the experiments of "Pure Exploration with Structured Preference
// Feedback": Figures 1a, 1b, 2 and 3, and Table 1.
//
// An [Exhibit] is made of [Cell] values, each a strategy at one setting. The caller runs the cells
// with [Do] and stores the [Record] of every run. The exhibit returns its numbers, its picture and a
// comparison with the paper's statements. A [Report] shows exhibits on one page.
package paper

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"bestpick/simulate"
)

// An Exhibit is a figure or a table of the paper.
type Exhibit struct {
	Name    string // figure1a
	Title   string
	Caption string
	Cells   []Cell
	Runs    int // of every cell, in the paper

	table    func(Results) *Table
	chart    func(Results) Chart
	findings func(Results) []Finding
}

// A Finding compares a statement of the paper with the result here.
type Finding struct {
	Paper  string `json:"paper"`
	Here   string `json:"here"`
	Agrees bool   `json:"agrees"`
}

// Exhibits returns all exhibits, in the paper's order.
func Exhibits() []Exhibit {
	return []Exhibit{
		Figure1a([]int{3, 4, 5, 6, 7, 8, 9}),
		Figure1b(7, []int{2, 3, 4, 5, 6}),
		Figure2(5),
		Table1(7),
		Figure3(8, times(10, 5000)),
	}
}

// Results are the records of the cells' runs.
type Results map[string][]Record

// NewResults returns the records of runs below the given number, by cell and run. The last record of a run counts.
func NewResults(records []Record, runs int) Results {
	r := Results{}
	for _, record := range records {
		if record.Run >= runs {
			continue
		}
		if r[record.Cell] == nil {
			r[record.Cell] = make([]Record, runs)
		}
		r[record.Cell][record.Run] = record
	}
	return r
}

// Has reports whether a run of a cell has a record.
func (r Results) Has(c Cell, run int) bool {
	records := r[c.Key()]
	return run < len(records) && records[run].Cell != ""
}

// Complete reports whether all runs of all cells of an exhibit have records.
func (r Results) Complete(e Exhibit, runs int) bool {
	for _, c := range e.Cells {
		for run := range runs {
			if !r.Has(c, run) {
				return false
			}
		}
	}
	return true
}

// questions returns the distribution of the stopping times of a cell.
func (r Results) questions(c Cell) simulate.Spread {
	numbers := make([]float64, 0, len(r[c.Key()]))
	for _, record := range r[c.Key()] {
		numbers = append(numbers, float64(record.Questions))
	}
	return simulate.SpreadOf(numbers)
}

// correct counts the runs of a cell with the best arm.
func (r Results) correct(c Cell) int {
	count := 0
	for _, record := range r[c.Key()] {
		if record.Correct {
			count++
		}
	}
	return count
}

// Table returns the numbers behind the exhibit.
func (e Exhibit) Table(r Results) *Table { return e.table(r) }

// Draw returns the exhibit as a picture in SVG.
func (e Exhibit) Draw(r Results) []byte { return e.chart(r).SVG() }

// Findings compares the results with the paper.
func (e Exhibit) Findings(r Results) []Finding { return e.findings(r) }

// A Table is rows of text under a header.
type Table struct {
	Header []string
	Rows   [][]string
}

// add appends a row. Numbers that are not whole get six digits.
func (t *Table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		if x, ok := cell.(float64); ok {
			row[i] = strconv.FormatFloat(x, 'g', 6, 64)
			if x == float64(int64(x)) {
				row[i] = strconv.FormatInt(int64(x), 10)
			}
			continue
		}
		row[i] = fmt.Sprint(cell)
	}
	t.Rows = append(t.Rows, row)
}

// WriteCSV writes the table with its header.
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(t.Header); err != nil {
		return err
	}
	return out.WriteAll(t.Rows)
}

// agreement counts the findings that agree.
func agreement(findings []Finding) (agree int) {
	for _, f := range findings {
		if f.Agrees {
			agree++
		}
	}
	return agree
}

// stoppingTable has a row of stopping times for every cell.
func stoppingTable(cells []Cell, r Results) *Table {
	t := &Table{Header: []string{"strategy", "alpha", "d", "K", "runs", "stopped", "correct", "mean", "se", "sd", "min", "max"}}
	for _, c := range cells {
		records := r[c.Key()]
		stopped := 0
		for _, record := range records {
			if record.Stopped {
				stopped++
			}
		}
		q := r.questions(c)
		t.add(c.Strategy, alphaOf(c), c.D, c.K, len(records), stopped, r.correct(c), q.Mean, errorOf(q.SE, records),
			errorOf(q.SD, records), q.Min, q.Max)
	}
	return t
}

// errorOf returns a standard error, or "" for a single run, which has none.
func errorOf(x float64, records []Record) any {
	if len(records) < 2 {
		return ""
	}
	return x
}

// alphaOf returns α, or "" for strategies without it.
func alphaOf(c Cell) string {
	if c.Alpha == 0 {
		return ""
	}
	return strconv.FormatFloat(c.Alpha, 'g', -1, 64)
}

// nameOf returns the paper's name of a strategy.
func nameOf(strategy string) string {
	switch strategy {
	case random:
		return "RandAlloc"
	case static:
		return "BAI-Lin-MNL"
	case adaptive:
		return "BAI-Lin-MNL-Adap"
	case glgapeKW:
		return "GLGapE, own radius"
	default:
		return "GLGapE"
	}
}

// questions is a logarithmic axis of numbers of questions.
func questions() Axis { return Axis{Label: "questions", Log: true} }

// curveOf is a strategy's points, joined.
func curveOf(strategy string, at []Point) Series {
	s := Series{Name: nameOf(strategy), At: at}
	switch strategy {
	case random:
		s.Style = Style{Colour: grey, Fill: white, Dashes: "3,3", Mark: triangle}
	case static:
		s.Style = Style{Colour: "#14468c", Fill: "#14468c", Mark: circle}
	case adaptive:
		s.Style = Style{Colour: "#be3c14", Fill: "#be3c14", Dashes: "9,4", Mark: square}
	case glgapeKW:
		s.Style = Style{Colour: grey, Fill: open, Dashes: "6,3,1,3", Mark: plus}
	default:
		s.Style = Style{Colour: black, Fill: open, Dashes: "1,3", Mark: cross}
	}
	s.Line = 1.6
	return s
}

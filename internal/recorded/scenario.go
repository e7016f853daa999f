package recorded

import (
	"io"
	"slices"
	"strconv"

	"bestpick/internal/table"
)

// A Scenario is a set of alternatives for which a fitted model predicts the shares.
type Scenario struct {
	Name         string      // of its task, "" if the file has one scenario
	Alternatives []string    // names, or numbers from 1 on
	Features     [][]float64 // of each alternative, in the model's order
}

// ReadScenarios reads the alternatives of one or more scenarios, with the columns of the choices that the
// coding is from, except the outcome, respondents and weights. A column of tasks separates scenarios; in
// wide form each row is one. file is the file name in errors.
func (c *Coding) ReadScenarios(source io.Reader, file string, form LongForm) ([]Scenario, error) {
	r, err := openRows(source, file, nil)
	if err != nil {
		return nil, err
	}
	if c.wide {
		form.Alternatives = c.alternatives.names
	}
	rows, _, err := widen(r, form, false)
	if err != nil {
		return nil, err
	}
	return c.readScenarios(rows, form)
}

// readScenarios reads rows in long form.
func (c *Coding) readScenarios(r *table.Reader, form LongForm) ([]Scenario, error) {
	m, err := newMatrix(r, c.clone(), true)
	if err != nil {
		return nil, err
	}
	named := func(column string) string { // "" if the file lacks it
		if column == "" || !hasColumn(r, column) {
			return ""
		}
		return column
	}
	at, err := optionalColumns(r, named(form.Task), named(form.Available))
	if err != nil {
		return nil, err
	}
	s := &scenarioReader{rows: r, matrix: m, task: at[0], available: at[1]}
	if err := r.Each(s.addRow); err != nil {
		return nil, err
	}
	return s.filled(), nil
}

// A scenarioReader collects the alternatives of scenarios.
type scenarioReader struct {
	rows            *table.Reader
	matrix          *matrix
	task, available int // columns, −1 if there are none

	scenarios  []Scenario
	scenarioOf []int // for each row
}

// addRow adds the current row.
func (s *scenarioReader) addRow() error {
	if s.available >= 0 {
		if offered, err := truth(s.rows, s.available, "available"); err != nil || !offered {
			return err
		}
	}
	name := ""
	if s.task >= 0 {
		name = s.rows.Text(s.task)
	}
	at := slices.IndexFunc(s.scenarios, func(one Scenario) bool { return one.Name == name })
	if at < 0 {
		at = len(s.scenarios)
		s.scenarios = append(s.scenarios, Scenario{Name: name})
	}
	one := &s.scenarios[at]
	label := strconv.Itoa(len(one.Alternatives) + 1)
	if s.matrix.alternative >= 0 {
		label = s.rows.Text(s.matrix.alternative)
	}
	one.Alternatives = append(one.Alternatives, label)
	s.scenarioOf = append(s.scenarioOf, at)
	return s.matrix.addRow()
}

// filled returns the scenarios with the features of their alternatives.
func (s *scenarioReader) filled() []Scenario {
	layout := s.matrix.layout()
	for row, numbers := range s.matrix.collected {
		features := make([]float64, layout.width())
		layout.fill(features, numbers)
		one := &s.scenarios[s.scenarioOf[row]]
		one.Features = append(one.Features, features)
	}
	return s.scenarios
}

// clone returns a copy that can be read into.
func (c *Coding) clone() *Coding {
	copied := *c
	copied.features = slices.Clone(c.features)
	for i := range copied.features {
		f := &copied.features[i]
		f.levels, f.numbers = newLevels(f.levels.names...), slices.Clone(f.numbers)
	}
	return &copied
}

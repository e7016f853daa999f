package recorded

import (
	"io"
	"slices"
	"strconv"
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
	wide, err := widen(r, form, false)
	if err != nil {
		return nil, err
	}
	if wide != nil {
		r = wide
	}
	m, err := newMatrix(r, c.clone(), true)
	if err != nil {
		return nil, err
	}
	task, available := -1, -1
	if hasColumn(r, form.Task) {
		task, _ = r.Column(form.Task)
	}
	if form.Available != "" && hasColumn(r, form.Available) {
		available, _ = r.Column(form.Available)
	}
	var scenarios []Scenario
	var scenarioOf []int
	err = r.Each(func() error {
		if available >= 0 {
			if offered, err := truth(r, available, "available"); err != nil || !offered {
				return err
			}
		}
		name := ""
		if task >= 0 {
			name = r.Text(task)
		}
		at := slices.IndexFunc(scenarios, func(s Scenario) bool { return s.Name == name })
		if at < 0 {
			at = len(scenarios)
			scenarios = append(scenarios, Scenario{Name: name})
		}
		s := &scenarios[at]
		label := strconv.Itoa(len(s.Alternatives) + 1)
		if m.alternative >= 0 {
			label = r.Text(m.alternative)
		}
		s.Alternatives = append(s.Alternatives, label)
		scenarioOf = append(scenarioOf, at)
		return m.addRow()
	})
	if err != nil {
		return nil, err
	}
	return m.fill(scenarios, scenarioOf), nil
}

// fill sets the features of the alternatives of scenarios.
func (m *matrix) fill(scenarios []Scenario, scenarioOf []int) []Scenario {
	layout := m.layout()
	for row, numbers := range m.collected {
		features := make([]float64, layout.width())
		layout.fill(features, numbers)
		s := &scenarios[scenarioOf[row]]
		s.Features = append(s.Features, features)
	}
	return scenarios
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

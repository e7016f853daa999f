package recorded

import (
	"errors"
	"slices"

	"bestpick/internal/table"
)

// maxLevels limits the levels of a text column: a column with more is an id or free text, not an attribute.
const maxLevels = 500

// A matrix collects the features of all rows: one number for each feature, which is
// the number of the level for text, and one for the alternative if a column names it.
// When all levels are known, cells returns the rows of the model.
type matrix struct {
	*Coding

	rows        *table.Reader
	alternative int  // column, −1 if there is none
	fixed       bool // the coding is that of a fitted model: levels and alternatives are known
	unlabelled  bool // some row has no alternative, or there are too many
	skipMissing bool // a missing feature is no error
	missed      bool // the last row has one

	numbers []float64 // row after row
}

// newMatrix finds the columns.
func newMatrix(r *table.Reader, coding *Coding, fixed bool) (*matrix, error) {
	m := &matrix{Coding: coding, rows: r, alternative: -1, fixed: fixed}
	for i := range m.features {
		f := &m.features[i]
		if err := f.find(r, coding.column); err != nil {
			return nil, err
		}
	}
	if m.needsAlternatives() || hasColumn(r, coding.column) {
		var err error
		if m.alternative, err = r.Column(coding.column); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// find finds the column of a feature, or those of its expression.
func (f *feature) find(r *table.Reader, alternative string) error {
	e, err := parseExpression(f.name)
	if hasColumn(r, f.name) || err == nil && e.name == f.name {
		f.expression = nil
		f.column, err = r.Column(f.name)
		return err
	}
	switch {
	case err != nil:
		return r.ErrorAt(0, f.name, "there is no such column: %v", err)
	case f.forced:
		return r.ErrorAt(0, f.name, "an expression is a number, without levels and units")
	}
	f.expression, err = e.resolve(r, alternative)
	return err
}

// isMissing reports whether the current row lacks the value, or one that it is computed from.
func (f *feature) isMissing(r *table.Reader) (missing bool) {
	if f.expression == nil {
		return table.IsMissing(r.Text(f.column))
	}
	f.expression.each(func(part *expression) {
		missing = missing || part.role == aColumn && table.IsMissing(r.Text(part.at))
	})
	return missing
}

// width returns the number of collected numbers per row.
func (m *matrix) width() int {
	if m.alternative >= 0 {
		return len(m.features) + 1
	}
	return len(m.features)
}

// addRow adds the current row.
func (m *matrix) addRow() error {
	m.missed = false
	for i := range m.features {
		f := &m.features[i]
		missing := !m.fixed && f.isMissing(m.rows)
		if missing && m.skipMissing {
			m.missed = true
			m.numbers = append(m.numbers, 0)
			continue
		}
		if f.line == 0 && !m.fixed {
			if err := m.decide(f); err != nil {
				return remedied(err, missing)
			}
		}
		value, err := m.value(f)
		if err != nil {
			return remedied(err, missing)
		}
		m.numbers = append(m.numbers, value)
	}
	if m.alternative >= 0 {
		at, err := m.currentAlternative()
		if err != nil {
			return err
		}
		m.numbers = append(m.numbers, float64(at))
	}
	return nil
}

// remedied adds the remedy to the error of a missing feature.
func remedied(err error, missing bool) error {
	if problem, is := errors.AsType[*table.Error](err); is && missing {
		problem.Text += "; --skip-missing leaves out the task"
	}
	return err
}

// currentAlternative returns the alternative of the current row. If no feature depends on it, it may be −1.
func (m *matrix) currentAlternative() (int, error) {
	name := m.rows.Text(m.alternative)
	at, known := m.alternatives.numbers[name]
	switch {
	case known:
		return at, nil
	case m.needsAlternatives() && name == "":
		return 0, m.rows.Missing(m.alternative)
	case m.needsAlternatives() && m.fixed:
		return 0, m.rows.Errorf(m.alternative, "the model has no alternative %q", name)
	case m.needsAlternatives() && len(m.alternatives.names) == maxLevels:
		return 0, m.rows.Errorf(m.alternative, "there are more than %d different alternatives", maxLevels)
	case m.fixed || name == "" || len(m.alternatives.names) == maxLevels:
		m.unlabelled = true
		return -1, nil
	}
	return m.alternatives.add(name), nil
}

// decide determines by the first row whether a feature is text or a number.
func (m *matrix) decide(f *feature) error {
	if f.line = m.rows.Line(); f.expression != nil {
		return nil
	}
	_, err := m.rows.Number(f.column)
	switch {
	case f.forced:
		f.text = true
	case err != nil && table.LooksNumeric(m.rows.Text(f.column)):
		return err
	default:
		f.text = err != nil
	}
	return nil
}

// value returns a feature of the current row: the number, or the number of the level.
func (m *matrix) value(f *feature) (float64, error) {
	if f.expression != nil {
		return f.expression.value(m.rows, m.alternative)
	}
	if !f.text {
		return m.rows.Number(f.column)
	}
	text := m.rows.Text(f.column)
	level, known := f.levels.numbers[text]
	if !known {
		switch {
		case table.IsMissing(text):
			return 0, m.rows.Missing(f.column)
		case m.fixed && f.inUnits:
			x, ok := f.format.Parse(text)
			if !ok {
				return 0, m.rows.Errorf(f.column, "%s", table.NoNumber(text))
			}
			f.numbers = append(f.numbers, x)
		case m.fixed:
			return 0, m.rows.Errorf(f.column, "the model has no level %q", text)
		case table.LooksNumeric(text) && !f.forced:
			return 0,
				m.rows.Errorf(f.column, "%q is a number, but line %d has text; give the column a base level to read it all as text",
					text, f.line)
		case len(f.levels.names) == maxLevels:
			return 0, m.rows.Errorf(f.column, "the column has more than %d different texts; is it an attribute?", maxLevels)
		}
		level = f.levels.add(text)
	}
	f.baseMet = f.baseMet || level == 0
	return float64(level), nil
}

// collected iterates over the collected rows in order.
func (m *matrix) collected(yield func(row int, numbers []float64) bool) {
	for row, rest := 0, m.numbers; len(rest) > 0; row, rest = row+1, rest[m.width():] {
		if !yield(row, rest[:m.width()]) {
			return
		}
	}
}

// compareInTasks finds the features by alternative that differ between the alternatives of some task, and the
// alternatives for which they are always 0.
func (m *matrix) compareInTasks(taskOf []int32, tasks int) {
	first := make([]int, tasks) // row + 1
	var kept []float64
	for i := range m.features {
		f := &m.features[i]
		if !f.byAlternative {
			continue
		}
		clear(first)
		kept = kept[:0]
		f.zero = slices.Repeat([]bool{!f.text}, len(m.alternatives.names))
		for row, numbers := range m.collected {
			kept = append(kept, numbers[i])
			if numbers[i] != 0 {
				f.zero[int(numbers[len(numbers)-1])] = false
			}
			switch at := first[taskOf[row]]; {
			case at == 0:
				first[taskOf[row]] = row + 1
			case kept[at-1] != numbers[i]:
				f.sameInTask = false
			}
		}
		if !slices.Contains(f.zero, false) {
			f.zero = nil
		}
	}
}

// cells returns the cells of all rows, row i of the file at place[i], or nowhere if that is negative, and
// frees the collected numbers.
func (m *matrix) cells(d, count int, place []int) []float64 {
	cells := make([]float64, count*d)
	layout := m.layout()
	for row, numbers := range m.collected {
		if to := place[row]; to >= 0 {
			layout.fill(cells[to*d:(to+1)*d], numbers)
		}
	}
	m.numbers = nil
	return cells
}

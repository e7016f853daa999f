package recorded

import (
	"slices"
	"strings"

	"bestpick/table"
)

// maxLevels is how many levels a text column may have: more is an id or free text,
// not an attribute.
const maxLevels = 500

// A matrix gathers the features of all rows, in the layout the model wants: first
// the constants, then the features in the order asked for, a text column as one
// indicator for each level but the base. The levels are found while reading, so a
// new one widens the rows read so far; that happens early or rarely.
type matrix struct {
	rows        *table.Reader
	alternative int // column, -1 without constants
	constants   []string
	met         []bool // whether an alternative of each constant was on offer
	features    []feature

	width int // cells of a row so far
	cells []float64
	count int // rows
}

// A feature is one column of the file and the cells it has in a row.
type feature struct {
	name    string
	column  int
	forced  bool // text by request
	text    bool
	line    int            // where its kind was decided
	base    string         // the level without an indicator
	baseMet bool           // whether a row had it
	levels  []string       // the others, in order of appearance
	cell    int            // of a number
	cellsOf map[string]int // level → cell; -1 for the base
}

func newMatrix(rows *table.Reader, alternative int, columns LongForm) (*matrix, error) {
	m := &matrix{
		rows: rows, alternative: alternative,
		constants: columns.Constants, met: make([]bool, len(columns.Constants)),
		width: len(columns.Constants),
	}
	for _, name := range columns.Features {
		column, err := rows.Column(name)
		if err != nil {
			return nil, err
		}
		f := feature{name: name, column: column, cell: -1, cellsOf: map[string]int{}}
		if f.base, f.forced = columns.Base[name]; f.forced {
			f.cellsOf[f.base] = -1
		}
		m.features = append(m.features, f)
	}
	return m, nil
}

// addRow takes in the row at hand.
func (m *matrix) addRow() error {
	start := len(m.cells)
	m.cells = append(m.cells, make([]float64, m.width)...)
	m.count++
	if m.alternative >= 0 {
		if i := slices.Index(m.constants, m.rows.Text(m.alternative)); i >= 0 {
			m.cells[start+i] = 1
			m.met[i] = true
		}
	}
	for i := range m.features {
		f := &m.features[i]
		if m.count == 1 {
			m.decide(f)
		}
		if f.text {
			cell, err := m.levelCell(f)
			if err != nil {
				return err
			}
			if cell >= 0 {
				m.cells[len(m.cells)-m.width+cell] = 1
			}
			continue
		}
		x, err := m.rows.Number(f.column)
		if err != nil {
			return err
		}
		m.cells[len(m.cells)-m.width+f.cell] = x
	}
	return nil
}

// decide settles by the first row whether a feature is text or a number.
func (m *matrix) decide(f *feature) {
	f.line = m.rows.Line()
	_, err := m.rows.Number(f.column)
	f.text = f.forced || (err != nil && !table.IsMissing(m.rows.Text(f.column)))
	if !f.text {
		f.cell = m.widen()
	}
}

// levelCell returns the cell of the level of a text feature in the row at hand, or
// -1 for the base.
func (m *matrix) levelCell(f *feature) (int, error) {
	level := m.rows.Text(f.column)
	if cell, known := f.cellsOf[level]; known {
		f.baseMet = f.baseMet || cell < 0
		return cell, nil
	}
	if table.IsMissing(level) {
		return 0, m.rows.Missing(f.column)
	}
	if _, err := m.rows.Number(f.column); err == nil && !f.forced {
		return 0, m.rows.Errorf(f.column, "%q is a number, but line %d has text; give the column a base level to read it all as text", level, f.line)
	}
	if len(f.cellsOf) == maxLevels {
		return 0, m.rows.Errorf(f.column, "the column has more than %d different texts; is it an attribute?", maxLevels)
	}
	level = strings.Clone(level)
	if len(f.cellsOf) == 0 {
		f.base, f.baseMet = level, true
		f.cellsOf[level] = -1
		return -1, nil
	}
	f.levels = append(f.levels, level)
	f.cellsOf[level] = m.widen()
	return f.cellsOf[level], nil
}

// widen gives every row one more cell, zero so far, and returns its place.
func (m *matrix) widen() int {
	wider := make([]float64, m.count*(m.width+1), max(cap(m.cells), m.count*(m.width+1)))
	for i := range m.count {
		copy(wider[i*(m.width+1):], m.cells[i*m.width:(i+1)*m.width])
	}
	m.cells = wider
	m.width++
	return m.width - 1
}

// finish returns the names of the cells of a row and the cells of all rows.
func (m *matrix) finish() (names []string, cells []float64, err error) {
	for i, name := range m.constants {
		if !m.met[i] {
			return nil, nil, m.rows.ErrorAt(0, m.rows.Header()[m.alternative], "no row has the alternative %q", name)
		}
	}
	names = slices.Clone(m.constants)
	order := make([]int, len(names), m.width) // place in a row → cell gathered in
	for i := range order {
		order[i] = i
	}
	for _, f := range m.features {
		switch {
		case !f.text:
			names = append(names, f.name)
			order = append(order, f.cell)
		case !f.baseMet:
			return nil, nil, m.rows.ErrorAt(0, f.name, "no row has the base level %q", f.base)
		case len(f.levels) == 0:
			return nil, nil, m.rows.ErrorAt(0, f.name, "every row has the same text %q", f.base)
		}
		for _, level := range f.levels {
			names = append(names, f.name+"="+level)
			order = append(order, f.cellsOf[level])
		}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, nil, m.rows.ErrorAt(0, "", "two parameters would be called %q", name)
		}
	}
	if !slices.IsSorted(order) {
		m.reorder(order)
	}
	return names, m.cells, nil
}

// reorder moves cell order[k] of every row to place k.
func (m *matrix) reorder(order []int) {
	old := make([]float64, m.width)
	for i := range m.count {
		row := m.cells[i*m.width : (i+1)*m.width]
		copy(old, row)
		for to, from := range order {
			row[to] = old[from]
		}
	}
}

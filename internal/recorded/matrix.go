package recorded

import (
	"slices"
	"strings"

	"bestpick/internal/table"
)

const (
	// maxLevels limits the levels of a text column: a column with more is an id or
	// free text, not an attribute.
	maxLevels = 500

	// chunkRows is the number of rows per allocation.
	chunkRows = 1 << 14
)

// A matrix collects the features of all rows: one number for each feature, which is
// the number of the level for text, and one for the alternative if there are
// constants. When all levels are known, cells returns the rows of the model.
type matrix struct {
	rows        *table.Reader
	alternative int // column, -1 without constants
	constants   []string
	met         []bool // whether a row has the alternative of each constant
	features    []feature

	chunks [][]float64 // rows in order, chunkRows of them in each but the last
	count  int
}

// A feature is one column of the file.
type feature struct {
	name   string
	column int
	forced bool // text by request
	text   bool
	line   int // of the row that decided it

	levels  []string // of text; the first is the base
	numbers map[string]int
	baseMet bool
}

// newMatrix finds the columns.
func newMatrix(rows *table.Reader, alternative int, columns LongForm) (*matrix, error) {
	m := &matrix{
		rows: rows, alternative: alternative,
		constants: columns.Constants, met: make([]bool, len(columns.Constants)),
	}
	for _, name := range columns.Features {
		column, err := rows.Column(name)
		if err != nil {
			return nil, err
		}
		f := feature{name: name, column: column, numbers: map[string]int{}}
		if base, forced := columns.Base[name]; forced {
			f.forced = true
			f.add(base)
		}
		m.features = append(m.features, f)
	}
	return m, nil
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
	if m.count%chunkRows == 0 {
		m.chunks = append(m.chunks, make([]float64, 0, chunkRows*m.width()))
	}
	m.count++
	chunk := &m.chunks[len(m.chunks)-1]
	for i := range m.features {
		f := &m.features[i]
		if m.count == 1 {
			if err := m.decide(f); err != nil {
				return err
			}
		}
		value, err := m.value(f)
		if err != nil {
			return err
		}
		*chunk = append(*chunk, value)
	}
	if m.alternative >= 0 {
		at := slices.Index(m.constants, m.rows.Text(m.alternative))
		if at >= 0 {
			m.met[at] = true
		}
		*chunk = append(*chunk, float64(at))
	}
	return nil
}

// decide determines by the first row whether a feature is text or a number.
func (m *matrix) decide(f *feature) error {
	f.line = m.rows.Line()
	_, err := m.rows.Number(f.column)
	switch {
	case f.forced:
		f.text = true
	case err != nil && m.rows.LooksNumeric(f.column):
		return err
	default:
		f.text = err != nil
	}
	return nil
}

// value returns a feature of the current row: the number, or the number of the level.
func (m *matrix) value(f *feature) (float64, error) {
	if !f.text {
		return m.rows.Number(f.column)
	}
	text := m.rows.Text(f.column)
	level, known := f.numbers[text]
	if !known {
		if table.IsMissing(text) {
			return 0, m.rows.Missing(f.column)
		}
		if m.rows.LooksNumeric(f.column) && !f.forced {
			return 0, m.rows.Errorf(f.column, "%q is a number, but line %d has text; give the column a base level to read it all as text", text, f.line)
		}
		if len(f.levels) == maxLevels {
			return 0, m.rows.Errorf(f.column, "the column has more than %d different texts; is it an attribute?", maxLevels)
		}
		level = f.add(text)
	}
	f.baseMet = f.baseMet || level == 0
	return float64(level), nil
}

// add adds a level and returns its number.
func (f *feature) add(level string) int {
	level = strings.Clone(level)
	f.numbers[level] = len(f.levels)
	f.levels = append(f.levels, level)
	return len(f.levels) - 1
}

// names returns the names of the columns of the model: the constants, then the
// features in the given order. A text column has one indicator for each level except
// the base.
func (m *matrix) names() ([]string, error) {
	for i, name := range m.constants {
		if !m.met[i] {
			return nil, m.rows.ErrorAt(0, m.rows.Header()[m.alternative], "no row has the alternative %q", name)
		}
	}
	names := slices.Clone(m.constants)
	for _, f := range m.features {
		switch {
		case !f.text:
			names = append(names, f.name)
			continue
		case !f.baseMet:
			return nil, m.rows.ErrorAt(0, f.name, "no row has the base level %q", f.levels[0])
		case len(f.levels) == 1:
			return nil, m.rows.ErrorAt(0, f.name, "every row has the same text %q", f.levels[0])
		}
		for _, level := range f.levels[1:] {
			names = append(names, f.name+"="+level)
		}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, m.rows.ErrorAt(0, "", "two parameters would be called %q", name)
		}
	}
	return names, nil
}

// cells returns the cells of all rows, row i of the file at place[i], and frees the
// collected numbers.
func (m *matrix) cells(d int, place []int) []float64 {
	cells := make([]float64, m.count*d)
	row := 0
	for c, chunk := range m.chunks {
		m.chunks[c] = nil
		for ; len(chunk) > 0; chunk = chunk[m.width():] {
			to := place[row]
			m.layOut(cells[to*d:(to+1)*d], chunk[:m.width()])
			row++
		}
	}
	return cells
}

// layOut fills a zero row of the model from a collected row.
func (m *matrix) layOut(row, collected []float64) {
	if m.alternative >= 0 {
		if at := int(collected[len(m.features)]); at >= 0 {
			row[at] = 1
		}
	}
	row = row[len(m.constants):]
	for i, f := range m.features {
		if !f.text {
			row[0] = collected[i]
			row = row[1:]
			continue
		}
		if level := int(collected[i]); level > 0 {
			row[level-1] = 1
		}
		row = row[len(f.levels)-1:]
	}
}

package recorded

import (
	"io"

	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
)

// rows iterates over the rows of a table and reports where in a file a value is. A [table.Reader] has
// the rows of a file; others select or rearrange them.
type rows interface {
	Header() []string
	Column(name string) (int, error)
	Each(f func() error) error
	Line() int
	Text(column int) string
	Errorf(column int, format string, arguments ...any) error
	ErrorAt(line int, column, format string, arguments ...any) error
}

// openRows opens a file of any format that catalogues have, without the rows that a condition excludes.
func openRows(source io.Reader, file string, where []Condition) (rows, error) {
	all, err := read.Rows(source, file)
	if err != nil || len(where) == 0 {
		return all, err
	}
	return filter(all, where)
}

// number returns a field of the current row as a finite number.
func number(r rows, column int) (float64, error) {
	text := r.Text(column)
	if x, ok := table.ParseNumber(text); ok {
		return x, nil
	}
	return 0, r.Errorf(column, "%s", table.NoNumber(text))
}

// missing returns the error for a field without a value.
func missing(r rows, column int) error {
	return r.Errorf(column, "%s", table.NoValue(r.Text(column)))
}

// hasColumn reports whether there is exactly one column of a name.
func hasColumn(r rows, name string) bool {
	_, err := r.Column(name)
	return err == nil
}

// optionalColumns returns the places of columns, −1 for an empty name.
func optionalColumns(r rows, names ...string) ([]int, error) {
	places := make([]int, len(names))
	for i, name := range names {
		places[i] = -1
		if name == "" {
			continue
		}
		var err error
		if places[i], err = r.Column(name); err != nil {
			return nil, err
		}
	}
	return places, nil
}

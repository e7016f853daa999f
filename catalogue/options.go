package catalogue

import (
	"cmp"

	"bestpick/table"
)

// Options say how to read a file where it leaves that open.
type Options struct {
	// Kinds are those of columns, by name, where recognition is not to decide. The name of
	// an embedding that is spread over columns e1, e2, … is e. Default: all are recognised.
	Kinds map[string]Kind

	// IDs is the file with the ids of the rows of a .npy. Default: the one beside it, see
	// [File].
	IDs string

	// folder is where the paths of images start. Default: images are not looked for.
	folder string

	// size is that of the file, to make room for what is in it. Default: it is not known.
	size int64

	// limits bound what the file may hold. Default: none.
	limits table.Limits
}

// A draft is a table whose columns are not recognised yet: they are Unknown, with texts, or
// they are a Number or an Embedding already. What is wrong with the file is gathered beside.
type draft struct {
	Table

	nameLine int // the line with the names of the columns, 0 where they have none
	problems Problems
}

// finish recognises the columns. It returns the table, or all that is wrong with the file.
func (d *draft) finish(options Options) (*Table, error) {
	d.recognise(options)
	if options.folder != "" {
		d.checkImages(options.folder)
	}
	d.problems.sort()
	if err := d.problems.orNil(); err != nil {
		return nil, err
	}
	return &d.Table, nil
}

// mostColumns is how many columns a table may have, whatever the limits.
const mostColumns = 10_000

// columnsProblem returns the problem of a table with this many columns, or "" within the limits.
func (o Options) columnsProblem(columns int) string {
	return table.Limits{Columns: min(mostColumns, cmp.Or(o.limits.Columns, mostColumns))}.ColumnsProblem(columns)
}

// names returns those of the columns.
func (t *Table) names() []string {
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	return names
}

// problem notes what is wrong in a row.
func (d *draft) problem(row int, column, text string) {
	d.problems.add(d.Source, d.Line(row), column, "%s", text)
}

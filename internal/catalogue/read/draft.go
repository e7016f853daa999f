package read

import (
	"cmp"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A draft is a table whose columns are not recognised yet: they are Unknown, with texts, or they are
// a Number or an Embedding already. It collects the problems of the file.
type draft struct {
	catalogue.Table

	nameLine int  // the line with the names of the columns, 0 where they have none
	comma    bool // the file is of a kind whose decimals usually take a comma
	problems catalogue.Problems
}

// problem adds a problem of a row.
func (d *draft) problem(row int, column string, problem table.Problem) {
	d.problems.Add(d.Source, d.Line(row), column, problem)
}

// maxColumns is how many columns a table may have at most, even if the limits allow more.
const maxColumns = 10_000

// columnsProblem returns the problem of a table with this many columns, if it exceeds the limits.
func columnsProblem(limits table.Limits, columns int) table.Problem {
	return table.Limits{Columns: min(maxColumns, cmp.Or(limits.Columns, maxColumns))}.ColumnsProblem(columns)
}

// mostly reports whether some values are the majority of those seen, and so decide the kind of a column.
func mostly(some, seen int) bool { return 2*some > seen }

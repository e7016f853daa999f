package read

import (
	"strings"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/catalogue"
)

// A parquetColumn is a column of a table in a Parquet file.
type parquetColumn struct {
	name   string
	leaf   *parquet.Column // nil where it is left out or nested
	list   bool            // a row has a list of values
	nested bool            // deeper than a list
}

// parquetColumns returns the columns of a group, those of groups within it with the name of the group and a
// point before theirs.
func parquetColumns(group *parquet.Column, prefix string, options catalogue.Options) (columns []parquetColumn) {
	for _, column := range group.Columns() {
		name := prefix + strings.TrimSpace(column.Name())
		leaf := onlyLeaf(column)
		switch {
		case isLeftOut(name, options):
			columns = append(columns, parquetColumn{name: name})
		case column.Leaf() && !column.Repeated():
			columns = append(columns, parquetColumn{name: name, leaf: column})
		case leaf != nil && leaf.MaxRepetitionLevel() == group.MaxRepetitionLevel()+1:
			columns = append(columns, parquetColumn{name: name, leaf: leaf, list: true})
		case column.Repeated() || isList(column):
			columns = append(columns, parquetColumn{name: name, nested: true})
		default:
			columns = append(columns, parquetColumns(column, name+".", options)...)
		}
	}
	return columns
}

// onlyLeaf returns the column with values below another, nil if there are several.
func onlyLeaf(column *parquet.Column) *parquet.Column {
	for !column.Leaf() {
		if len(column.Columns()) != 1 {
			return nil
		}
		column = column.Columns()[0]
	}
	return column
}

// isList reports whether a group repeats what is in it: a list or a map.
func isList(column *parquet.Column) bool {
	return len(column.Columns()) == 1 && column.Columns()[0].Repeated()
}

// isLeftOut reports whether a column is to be ignored, so that its values are not even read.
func isLeftOut(name string, options catalogue.Options) bool {
	return options.Kinds[strings.TrimSpace(name)] == catalogue.Ignored
}

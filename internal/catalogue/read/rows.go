package read

import (
	"io"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// Rows reads a table of any contents row by row, with its texts as written: delimited text, the fullest
// sheet of a workbook, JSON Lines or Parquet, compressed with gzip or not. Text is streamed; the other
// formats are held in memory. name is the file name in errors.
func Rows(source io.Reader, name string) (*table.Reader, error) {
	return rowsWithin(source, name, table.Limits{})
}

// rowsWithin is [Rows] within limits.
func rowsWithin(source io.Reader, name string, limits table.Limits) (*table.Reader, error) {
	text, format, err := recognise(source, name, limits)
	if err != nil {
		return nil, err
	}
	var d *draft
	switch format { //nolint:exhaustive // others are rejected
	case table.ParquetFile, table.ZIPFile:
		whole, size, failed := wholeFile(source, text, limits)
		if failed != nil {
			return nil, table.ReadError(name, failed)
		}
		if format == table.ZIPFile {
			return sheetRows(whole, size, name, catalogue.Options{Limits: limits})
		}
		d, err = draftParquet(whole, size, name, catalogue.Options{Limits: limits})
	case table.NPYFile:
		return nil, &table.Error{File: name, Problem: table.Problemf("npy-names",
			"a .npy file has numbers without the names of columns; save the table as CSV or Parquet")}
	case table.JSONFile:
		d, err = draftJSON(text, name, catalogue.Options{Limits: limits})
	default:
		return table.NewReader(text, name, limits)
	}
	if err != nil {
		return nil, err
	}
	return d.rows()
}

// rows returns the rows of a draft. A list of numbers has a column for each number.
func (d *draft) rows() (*table.Reader, error) {
	if err := d.problems.Err(); err != nil {
		return nil, err
	}
	var columns []catalogue.Column
	for i := range d.Columns {
		if c := &d.Columns[i]; c.Kind == catalogue.Embedding {
			columns = append(columns, split(c)...)
		} else {
			columns = append(columns, *c)
		}
	}
	names := catalogue.Table{Columns: columns}
	fields := make([]string, len(columns))
	return table.NewRows(table.Derivation{
		File: d.Source, Header: names.Names(), Each: func(yield func(row []string, line int) error) error {
			for row := range d.Len() {
				for i := range columns {
					fields[i] = columns[i].Text(row)
				}
				if err := yield(fields, d.Line(row)); err != nil {
					return err
				}
			}
			return nil
		},
	}), nil
}

package read

import (
	"io"
	"math"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// Parquet reads arms from a Parquet file: columns of numbers, texts, dates and times, lists of numbers as
// embeddings, and the columns of groups as group.column. name is what to call the file.
func Parquet(source io.ReaderAt, size int64, name string, options catalogue.Options) (*catalogue.Table, error) {
	d := &draft{Table: catalogue.Table{Source: name}}
	if err := d.readParquet(source, size, options); err != nil {
		return nil, err
	}
	return d.finish(options)
}

// parquetMagic is how a Parquet file starts.
const parquetMagic = "PAR1"

// readParquet reads the columns. The library panics at some damaged files, and allocates what a file
// declares: noTable rejects uploads.
func (d *draft) readParquet(source io.ReaderAt, size int64, options catalogue.Options) (err error) {
	defer func() {
		if recover() != nil {
			err = d.damaged()
		}
	}()
	file, err := parquet.OpenFile(source, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return d.damaged()
	}
	columns := parquetColumns(file.Root(), "", options)
	if err := d.checkColumns(file, columns); err != nil {
		return err
	}
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.name
	}
	kinds := catalogue.Roles(names, options.Kinds)
	rows := 0
	for i, column := range columns {
		c := catalogue.Column{Name: names[i]}
		if column.leaf == nil {
			d.Columns = append(d.Columns, c)
			continue
		}
		if kinds[i] == catalogue.Number || kinds[i] == catalogue.Unknown && isNumeric(column.leaf.Type()) {
			c.Kind = catalogue.Number
		}
		rows = int(file.NumRows())
		read := d.readColumn
		if column.list {
			read = d.readLists
		}
		if err := read(&c, column.leaf, rows); err != nil {
			return err
		}
		d.Columns = append(d.Columns, c)
	}
	for i := range d.Columns {
		if columns[i].leaf == nil {
			d.Columns[i].Texts = make([]string, rows)
		}
	}
	return nil
}

// noParquetUploads is the problem of an uploaded Parquet file.
const noParquetUploads = "Parquet files cannot be uploaded; save the table as CSV, .xlsx or JSON Lines, " +
	"or upload the .npz that 'bestpick catalogue' makes of it"

// checkColumns returns an error if there are no rows or too many columns, and notes the columns whose
// values are not one number or text a row.
func (d *draft) checkColumns(file *parquet.File, columns []parquetColumn) error {
	problem := columnsProblem(table.Limits{}, len(columns))
	switch rows := file.NumRows(); {
	case rows == 0:
		problem = table.Problemf("no-rows", "there are no rows in the file")
	case rows < 0 || rows > math.MaxInt32:
		return d.damaged()
	}
	if problem.Exists() {
		return &table.Error{File: d.Source, Problem: problem}
	}
	for _, column := range columns {
		switch {
		case column.nested || column.list && !isNumeric(column.leaf.Type()):
			d.problems.Add(d.Source, 0, column.name, table.Problemf("nested", "the column is nested; columns must have one value or a list of numbers a row").OrAs(ignored))
		case column.leaf != nil && !isNumeric(column.leaf.Type()) && !isText(column.leaf.Type()) && !isTime(column.leaf.Type()):
			d.problems.Add(d.Source, 0, column.name, table.Problemf("type", "values of type %s cannot be read; make them numbers or texts", column.leaf.Type()).OrAs(ignored))
		}
	}
	return d.problems.Err()
}

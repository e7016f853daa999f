package read

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

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

// readLists reads the lists of a column as vectors.
func (d *draft) readLists(c *catalogue.Column, column *parquet.Column, rows int) error {
	c.Kind = catalogue.Embedding
	convert := converterOf(column.Type())
	row, width := -1, 0
	err := d.eachValues(column, func(values []parquet.Value) error {
		for _, value := range values {
			if value.RepetitionLevel() == 0 {
				d.endList(c, row, width)
				row, width = row+1, 0
			}
			if row < 0 || row >= rows {
				return d.damaged()
			}
			if !value.IsNull() {
				c.Vectors = append(c.Vectors, d.listed(row, memberName(c.Name, width), convert.number(value)))
				width++
			} else if value.DefinitionLevel() == column.MaxDefinitionLevel()-1 && column.Optional() {
				d.problem(row, memberName(c.Name, width), table.NoValue(""))
				c.Vectors = append(c.Vectors, 0)
				width++
			}
		}
		return nil
	})
	if err == nil && row != rows-1 {
		err = d.damaged()
	}
	d.endList(c, row, width)
	c.Width = max(c.Width, 1) // of lists that are all wrong
	return err
}

// listed returns a number of a list as vectors hold it.
func (d *draft) listed(row int, name string, x float64) float32 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		d.problem(row, name, table.NoNumber(fmt.Sprint(x)))
		return 0
	}
	return d.single(row, name, x)
}

// endList checks the length of the list of a row, and makes it that of the others. The first list says how
// many numbers there are.
func (d *draft) endList(c *catalogue.Column, row, width int) {
	if row < 0 {
		return
	}
	if c.Width == 0 {
		c.Width = width
	}
	switch {
	case width == 0:
		d.problem(row, c.Name, table.NoValue(""))
	case width != c.Width:
		d.problem(row, c.Name, table.Problemf("list-length", "the list has %d numbers, others have %d", width, c.Width))
	}
	length := len(c.Vectors) - width + c.Width
	for len(c.Vectors) < length {
		c.Vectors = append(c.Vectors, 0)
	}
	c.Vectors = c.Vectors[:length]
}

// readColumn reads the values of a column, page by page.
func (d *draft) readColumn(c *catalogue.Column, column *parquet.Column, rows int) error {
	convert := converterOf(column.Type())
	row := 0
	err := d.eachValues(column, func(values []parquet.Value) error {
		for _, value := range values {
			d.writeValue(c, row, value, convert)
			row++
		}
		if row > rows {
			return d.damaged()
		}
		return nil
	})
	if err == nil && row != rows {
		return d.damaged()
	}
	return err
}

// eachValues calls f for all values of a column, some at a time.
func (d *draft) eachValues(column *parquet.Column, f func([]parquet.Value) error) error {
	pages := column.Pages()
	defer func() { _ = pages.Close() }()
	values := make([]parquet.Value, 1<<10)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return d.damaged()
		}
		for reader := page.Values(); ; {
			n, err := reader.ReadValues(values)
			if failed := f(values[:n]); failed != nil {
				return failed
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || n == 0 {
				return d.damaged()
			}
		}
		parquet.Release(page)
	}
}

// writeValue writes a value into its column.
func (d *draft) writeValue(c *catalogue.Column, row int, value parquet.Value, convert converter) {
	if c.Kind != catalogue.Number {
		text := ""
		if !value.IsNull() {
			text = strings.TrimSpace(convert.text(value))
		}
		if !utf8.ValidString(text) {
			d.problem(row, c.Name, table.NotUTF8())
		}
		c.Texts = append(c.Texts, text)
		return
	}
	x := math.NaN()
	switch {
	case value.IsNull():
	case convert.number != nil:
		x = convert.number(value)
		if math.IsInf(x, 0) {
			d.problem(row, c.Name, table.NoNumber(fmt.Sprint(x)))
		}
	default:
		addNumber(c, strings.TrimSpace(convert.text(value)))
		return
	}
	if convert.single {
		c.AddSingle(x)
	} else {
		c.Numbers = append(c.Numbers, x)
	}
}

func (d *draft) damaged() error {
	return &table.Error{File: d.Source, Problem: table.Problemf("parquet", "the Parquet file is damaged or incomplete")}
}

package read

import (
	"encoding/json"
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

// draftParquet reads the columns of a Parquet file: numbers, texts, dates and times, lists of numbers as
// embeddings, and the columns of groups as group.column. name is what to call the file. The library panics at some
// damaged files, and allocates what a file declares: recognise rejects uploads.
func draftParquet(source io.ReaderAt, size int64, name string, options catalogue.Options) (d *draft, err error) {
	b := newBuilder(name, options)
	defer func() {
		if recover() != nil {
			d, err = nil, b.damaged()
		}
	}()
	file, err := parquet.OpenFile(source, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, b.damaged()
	}
	columns := parquetColumns(file.Root(), "", options)
	if err := b.checkColumns(file, columns); err != nil {
		return nil, err
	}
	for _, column := range columns {
		b.addColumn(column.name)
	}
	rows := int(file.NumRows())
	for i, kind := range b.roles() {
		c, leaf := b.columns[i], columns[i].leaf
		c.settled = true
		if leaf == nil || columns[i].problem != "" {
			c.Kind = catalogue.Ignored
			if b.rows = rows; columns[i].problem != "" {
				b.Notes = append(b.Notes, catalogue.Note{Column: c.Name, Problem: table.Problemf("", "%s: not used", columns[i].problem)})
			}
			continue
		}
		read := b.readColumn
		switch {
		case columns[i].list && !isNumeric(leaf.Type()):
			c.Kind, read = catalogue.Ignored, b.readTextLists
		case columns[i].list:
			c.Kind, read = catalogue.Embedding, b.readLists
		case kind == catalogue.Number, kind == catalogue.Unknown && isNumeric(leaf.Type()):
			c.Kind = catalogue.Number
		}
		if err := read(c, leaf, rows); err != nil {
			return nil, err
		}
		b.rows = rows
	}
	b.finishColumns()
	return &b.draft, nil
}

// noParquetUploads is the problem of an uploaded Parquet file.
const noParquetUploads = "Parquet files cannot be uploaded; save the table as CSV, .xlsx or JSON Lines, " +
	"or upload the .npz that 'bestpick catalogue' makes of it"

// checkColumns returns an error if there are no rows or too many columns.
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
	return nil
}

// A parquetColumn is a column of a table in a Parquet file.
type parquetColumn struct {
	name    string
	leaf    *parquet.Column // nil where it is left out or nested
	list    bool            // a row has a list of values
	problem string          // why it cannot be read, if so
}

// parquetColumns returns the columns of a group, those of groups within it with the name of the group and a point before theirs.
func parquetColumns(group *parquet.Column, prefix string, options catalogue.Options) (columns []parquetColumn) {
	for _, column := range group.Columns() {
		name := prefix + strings.TrimSpace(column.Name())
		leaf := onlyLeaf(column)
		switch {
		case options.Kinds[strings.TrimSpace(name)] == catalogue.Ignored: // its values are not even read
			columns = append(columns, parquetColumn{name: name})
		case leaf != nil && !isNumeric(leaf.Type()) && !isText(leaf.Type()) && !isTime(leaf.Type()):
			columns = append(columns, parquetColumn{name: name, problem: fmt.Sprintf("values of type %s", leaf.Type())})
		case column.Leaf() && !column.Repeated():
			columns = append(columns, parquetColumn{name: name, leaf: column})
		case leaf != nil && leaf.MaxRepetitionLevel() == group.MaxRepetitionLevel()+1:
			columns = append(columns, parquetColumn{name: name, leaf: leaf, list: true})
		case column.Repeated() || len(column.Columns()) == 1 && column.Columns()[0].Repeated(): // a list or a map
			columns = append(columns, parquetColumn{name: name, problem: "lists of lists or objects"})
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

// readLists reads the lists of a column as vectors.
func (b *builder) readLists(c *builtColumn, column *parquet.Column, rows int) error {
	convert := converterOf(column.Type())
	width := 0
	c.written = rows
	return b.eachList(column, rows, func(row int, value parquet.Value) {
		x := 0.0
		switch {
		case !value.IsNull():
			x = convert.number(value)
		case value.DefinitionLevel() == column.MaxDefinitionLevel()-1 && column.Optional():
			b.problem(row, memberName(c.Name, width), table.NoValue(""))
		default: // an empty list
			return
		}
		b.appendNumber(c, row, width, x)
		width++
	}, func(row int) {
		if width == 0 {
			b.problem(row, c.Name, table.NoValue(""))
		}
		b.endVector(c, row, width)
		width = 0
	})
}

// readTextLists reads the lists of a column as JSON.
func (b *builder) readTextLists(c *builtColumn, column *parquet.Column, rows int) error {
	convert := converterOf(column.Type())
	list := []string{}
	return b.eachList(column, rows, func(_ int, value parquet.Value) {
		if !value.IsNull() {
			list = append(list, convert.text(value))
		}
	}, func(row int) {
		text, _ := json.Marshal(list) // of texts cannot fail
		b.write(c, cell{row: row, form: listCell, text: string(text)})
		list = list[:0]
	})
}

// eachList calls add for every value of a column of lists, and end after the last of a row.
func (b *builder) eachList(column *parquet.Column, rows int, add func(row int, value parquet.Value), end func(row int)) error {
	row := -1
	err := b.eachValues(column, func(values []parquet.Value) error {
		for _, value := range values {
			if value.RepetitionLevel() == 0 {
				if row >= 0 {
					end(row)
				}
				row++
			}
			if row < 0 || row >= rows {
				return b.damaged()
			}
			add(row, value)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case row != rows-1:
		return b.damaged()
	}
	end(row)
	return nil
}

// readColumn reads the values of a column, page by page.
func (b *builder) readColumn(c *builtColumn, column *parquet.Column, rows int) error {
	convert := converterOf(column.Type())
	row := 0
	err := b.eachValues(column, func(values []parquet.Value) error {
		for _, value := range values {
			b.write(c, b.cellOf(c, row, value, convert))
			row++
		}
		if row > rows {
			return b.damaged()
		}
		return nil
	})
	if err == nil && row != rows {
		return b.damaged()
	}
	return err
}

// cellOf returns a value of a column: an exact number where both have numbers, otherwise a text.
func (b *builder) cellOf(c *builtColumn, row int, value parquet.Value, convert converter) cell {
	if c.Kind == catalogue.Number && convert.number != nil {
		number := cell{row: row, form: exactCell, number: math.NaN()}
		if convert.single {
			number.form = singleCell
		}
		if !value.IsNull() {
			number.number = convert.number(value)
		}
		return number
	}
	if value.IsNull() {
		return cell{row: row}
	}
	text := strings.TrimSpace(convert.text(value))
	if !utf8.ValidString(text) {
		b.problem(row, c.Name, table.NotUTF8())
	}
	return cell{row: row, form: textCell, text: text}
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

func (d *draft) damaged() error {
	return &table.Error{File: d.Source, Problem: table.Problemf("parquet", "the Parquet file is damaged or incomplete")}
}

package read

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"bestpick/internal/catalogue"
	"bestpick/internal/parquetcheck"
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

// readParquet reads the columns. The library panics at some files that are damaged; here,
// that is an error like any other.
func (d *draft) readParquet(source io.ReaderAt, size int64, options catalogue.Options) (err error) {
	defer func() {
		if recover() != nil {
			err = d.damaged()
		}
	}()
	file, err := parquetcheck.Open(source, size, parquetLimits(options.Limits))
	if err != nil {
		return &table.Error{File: d.Source, Problem: table.ReadProblem(err)}
	}
	columns := parquetColumns(file.Root(), "", options)
	if err := d.checkColumns(file, columns, options); err != nil {
		return err
	}
	if err := checkPages(source, size, file, columns, options); err != nil {
		return &table.Error{File: d.Source, Problem: err.Error()}
	}
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.name
	}
	kinds := catalogue.Roles(names, options.Kinds)
	rows := 0
	texts := &textCounter{limits: options.Limits}
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
		if err := read(&c, column.leaf, rows, texts); err != nil {
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

func (d *draft) damaged() error {
	return &table.Error{File: d.Source, Problem: parquetcheck.ErrDamaged.Error()}
}

// checkColumns returns an error if there are too many rows or columns, and notes the columns whose
// values are not one number or text a row.
func (d *draft) checkColumns(file *parquet.File, columns []parquetColumn, options catalogue.Options) error {
	rows := file.NumRows()
	problem := cmp.Or(options.Limits.RowsProblem(rows), columnsProblem(options.Limits, len(columns)))
	switch {
	case rows == 0:
		problem = "there are no rows in the file"
	case rows < 0 || rows > maxParquetRows:
		problem = cmp.Or(problem, parquetcheck.ErrDamaged.Error())
	default:
		problem = cmp.Or(problem, options.Limits.ValuesProblem(int(rows), len(columns)))
	}
	if problem != "" {
		return &table.Error{File: d.Source, Problem: problem}
	}
	for _, column := range columns {
		switch {
		case column.nested || column.list && !isNumeric(column.leaf.Type()):
			d.problems.Add(d.Source, 0, column.name, "the column is nested; columns must have one value or a list of numbers a row, or --as %s=ignored", column.name)
		case column.leaf != nil && !isNumeric(column.leaf.Type()) && !isText(column.leaf.Type()) && !isTime(column.leaf.Type()):
			d.problems.Add(d.Source, 0, column.name, "values of type %s cannot be read; make them numbers or texts, or --as %s=ignored", column.leaf.Type(), column.name)
		}
	}
	return d.problems.Err()
}

// meaning returns what the file says the values of a type mean, nil where it says nothing.
func meaning(t parquet.Type) any {
	if logical := t.LogicalType(); logical != nil {
		return logical.Value
	}
	return nil
}

// isNumeric reports whether values are numbers.
func isNumeric(t parquet.Type) bool {
	number := slices.Contains([]parquet.Kind{parquet.Int32, parquet.Int64, parquet.Float, parquet.Double}, t.Kind())
	switch meaning(t).(type) {
	case nil, *format.IntType:
		return number
	case *format.DecimalType:
		return number || t.Kind() == parquet.ByteArray || t.Kind() == parquet.FixedLenByteArray && t.Length() <= maxDecimalBytes
	default:
		return false
	}
}

// isText reports whether values are texts, true and false among them.
func isText(t parquet.Type) bool {
	if t.Kind() == parquet.Boolean {
		return true
	}
	switch meaning(t).(type) {
	case nil, *format.StringType, *format.EnumType, *format.JsonType:
		return t.Kind() == parquet.ByteArray
	default:
		return false
	}
}

// readColumn reads the values of a column, page by page.
func (d *draft) readColumn(c *catalogue.Column, column *parquet.Column, rows int, texts *textCounter) error {
	convert := converterOf(column.Type())
	if isText(column.Type()) && column.Type().Kind() == parquet.ByteArray {
		convert.text = texts.text
	}
	row := 0
	err := d.eachValues(column, texts.start, func(values []parquet.Value) error {
		for _, value := range values {
			d.writeValue(c, row, value, convert)
			row++
		}
		if problem := texts.problem(); problem != "" {
			return &table.Error{File: d.Source, Line: row, Column: c.Name, Problem: problem}
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

// eachValues calls f for all values of a column, some at a time, and start for every page before them.
func (d *draft) eachValues(column *parquet.Column, start func(parquet.Page), f func([]parquet.Value) error) error {
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
		start(page)
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
			d.problem(row, c.Name, table.NotUTF8)
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
		text := strings.TrimSpace(convert.text(value))
		if x, ok := table.ParseNumber(text); ok {
			c.AddNumber([]byte(text), x)
		} else {
			addNoNumber(c, text)
		}
		return
	}
	if convert.single {
		c.AddSingle(x)
	} else {
		c.Numbers = append(c.Numbers, x)
	}
}

// A converter turns values of one type into numbers, if they are, and texts.
type converter struct {
	number func(parquet.Value) float64
	text   func(parquet.Value) string
	single bool // the numbers have 32 bits
}

func converterOf(t parquet.Type) converter {
	unsigned := false
	switch m := meaning(t).(type) {
	case *format.DecimalType:
		if isNumeric(t) {
			return decimals(t.Kind(), int(m.Scale))
		}
	case *format.DateType, *format.TimeType, *format.TimestampType:
		return times(t)
	case *format.IntType:
		unsigned = !m.IsSigned
	}
	switch kind := t.Kind(); {
	case kind == parquet.Int32 && unsigned:
		return converter{
			number: func(v parquet.Value) float64 { return float64(v.Uint32()) },
			text:   func(v parquet.Value) string { return strconv.FormatUint(uint64(v.Uint32()), 10) },
		}
	case kind == parquet.Int64 && unsigned:
		return converter{
			number: func(v parquet.Value) float64 { return float64(v.Uint64()) },
			text:   func(v parquet.Value) string { return strconv.FormatUint(v.Uint64(), 10) },
		}
	case kind == parquet.Int32:
		return converter{
			number: func(v parquet.Value) float64 { return float64(v.Int32()) },
			text:   func(v parquet.Value) string { return strconv.Itoa(int(v.Int32())) },
		}
	case kind == parquet.Int64:
		return converter{
			number: func(v parquet.Value) float64 { return float64(v.Int64()) },
			text:   func(v parquet.Value) string { return strconv.FormatInt(v.Int64(), 10) },
		}
	case kind == parquet.Float:
		return converter{
			number: func(v parquet.Value) float64 { return float64(v.Float()) },
			text:   func(v parquet.Value) string { return catalogue.Shortest(float64(v.Float()), 32) },
			single: true,
		}
	case kind == parquet.Double:
		return converter{
			number: parquet.Value.Double,
			text:   func(v parquet.Value) string { return catalogue.Shortest(v.Double(), 64) },
		}
	case kind == parquet.Int96:
		return times(t)
	case kind == parquet.Boolean:
		return converter{text: func(v parquet.Value) string { return strconv.FormatBool(v.Boolean()) }}
	case kind == parquet.ByteArray:
		return converter{text: func(v parquet.Value) string { return string(v.ByteArray()) }}
	default:
		return converter{text: parquet.Value.String}
	}
}

// decimals converts integers that count fractions 10⁻ˢ, where s is the scale.
func decimals(kind parquet.Kind, scale int) converter {
	if kind == parquet.ByteArray || kind == parquet.FixedLenByteArray {
		return bigDecimals(scale)
	}
	unscaled := func(v parquet.Value) float64 {
		if kind == parquet.Int32 {
			return float64(v.Int32())
		}
		return float64(v.Int64())
	}
	number := func(v parquet.Value) float64 { return unscaled(v) / math.Pow10(scale) }
	return converter{number: number, text: func(v parquet.Value) string { return catalogue.Shortest(number(v), 64) }}
}

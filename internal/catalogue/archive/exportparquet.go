package archive

import (
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A parquetWriter writes arms as Parquet, with columns in the given order: numbers, booleans whose
// texts are true and false, and texts. A missing attribute is null.
type parquetWriter struct {
	out     *parquet.GenericWriter[any]
	columns []parquetColumn
	row     parquet.Row
}

// A parquetColumn converts texts to values of a column. It knows whether an empty text is null.
type parquetColumn struct {
	value    func(text string) parquet.Value
	optional bool
}

func newParquetWriter(out io.Writer, arms int, columns []attribute) *parquetWriter {
	const groupRows = 1 << 16 // rows held in memory until they are written
	w := &parquetWriter{row: make(parquet.Row, len(columns))}
	schema := parquetSchema{Group: parquet.Group{}}
	for _, column := range columns {
		node, value := parquetType(column, arms)
		optional := column.kind.Feature()
		if optional {
			node = parquet.Optional(node)
		}
		schema.Group[column.name] = node
		schema.order = append(schema.order, column.name)
		w.columns = append(w.columns, parquetColumn{value, optional})
	}
	w.out = parquet.NewGenericWriter[any](out, parquet.NewSchema("arms", schema), parquet.MaxRowsPerRowGroup(groupRows),
		parquet.Compression(&parquet.Snappy))
	return w
}

// A parquetSchema is a group of columns in a given order, not sorted by name.
type parquetSchema struct {
	parquet.Group

	order []string
}

// Fields returns the columns in order.
func (s parquetSchema) Fields() []parquet.Field {
	fields := s.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(s.order, a.Name()) - slices.Index(s.order, b.Name())
	})
	return fields
}

// parquetType returns the type of a column, and the conversion of its texts.
func parquetType(column attribute, arms int) (parquet.Node, func(text string) parquet.Value) {
	all := func(is func(text string) bool) bool {
		for arm := range arms {
			if text := column.value(arm); text != "" && !is(text) {
				return false
			}
		}
		return true
	}
	isNumber := func(text string) bool { _, ok := table.ParseNumber(text); return ok }
	switch {
	case column.kind == catalogue.Number && all(isNumber):
		return parquet.Leaf(parquet.DoubleType), func(text string) parquet.Value {
			x, _ := table.ParseNumber(text) // it is one
			return parquet.DoubleValue(x)
		}
	case column.kind == catalogue.Boolean && all(isPlainTruth):
		return parquet.Leaf(parquet.BooleanType), func(text string) parquet.Value {
			return parquet.BooleanValue(text == strconv.FormatBool(true))
		}
	default:
		return parquet.String(), func(text string) parquet.Value { return parquet.ByteArrayValue([]byte(text)) }
	}
}

func (w *parquetWriter) write(row []string) error {
	for k, text := range row {
		switch column := w.columns[k]; {
		case column.optional && text == "":
			w.row[k] = parquet.NullValue().Level(0, 0, k)
		case column.optional:
			w.row[k] = column.value(text).Level(0, 1, k)
		default:
			w.row[k] = column.value(text).Level(0, 0, k)
		}
	}
	_, err := w.out.WriteRows([]parquet.Row{w.row})
	return err
}

func (w *parquetWriter) close() error { return w.out.Close() }

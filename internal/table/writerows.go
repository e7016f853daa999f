package table

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
)

// A Format is a format of files that are written row by row. Its text is the extension of file names.
type Format string

// The formats.
const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
	Parquet   Format = "parquet"
)

// A ValueType is the type of the values in a column that is written.
type ValueType int

// The types, with the values that [RowWriter.Write] takes.
const (
	TextValue    ValueType = iota // string
	NumberValue                   // string, as written; texts that are no numbers are allowed except in Parquet
	BooleanValue                  // string, true or false; other texts are allowed except in Parquet
	IntegerValue                  // int64
	TimeValue                     // time.Time, zero if unknown
	ListValue                     // []string
	ObjectValue                   // map[string]string, in delimited text and Parquet as JSON
)

// A WrittenColumn is a column of a file that is written.
type WrittenColumn struct {
	Name     string
	Type     ValueType
	Optional bool     // an empty text is null in JSON Lines and Parquet
	Cells    []string // of a list: the names of its columns in delimited text
}

// A RowWriter writes rows one by one. The file is complete after Close. Not safe for concurrent use.
//
// In delimited text, texts that spreadsheets would execute as formulas are written with [Protect], unless
// they are in a column of numbers and look like one. All delimiters are quoted.
type RowWriter struct {
	write func(row []any) error
	close func() error
}

// NewRowWriter returns a writer of rows with these columns. It panics on an unknown format.
func NewRowWriter(w io.Writer, format Format, columns []WrittenColumn) *RowWriter {
	out := bufio.NewWriterSize(w, 1<<16) // keeps the first error until Flush
	switch format {
	case CSV:
		writeHeader(out, columns)
		return &RowWriter{func(row []any) error { return writeCSV(out, columns, row) }, out.Flush}
	case JSONLines:
		lines := newJSONWriter(out, columns)
		return &RowWriter{lines.write, out.Flush}
	case Parquet:
		rows := newParquetWriter(w, columns)
		return &RowWriter{rows.write, rows.out.Close}
	}
	panic(fmt.Sprintf("table: unknown format %q", format))
}

// Write writes a row, which has a value for each column.
func (w *RowWriter) Write(row []any) error { return w.write(row) }

// Close writes buffered rows. It does not close the underlying writer.
func (w *RowWriter) Close() error { return w.close() }

func writeHeader(out *bufio.Writer, columns []WrittenColumn) {
	var names []string
	for _, column := range columns {
		if column.Type == ListValue {
			names = append(names, column.Cells...)
		} else {
			names = append(names, column.Name)
		}
	}
	_ = writeCSV(out, []WrittenColumn{{Type: ListValue, Cells: names}}, []any{names}) // an error stays
}

func writeCSV(out *bufio.Writer, columns []WrittenColumn, row []any) error {
	for k, value := range row {
		cells, isList := value.([]string)
		if !isList {
			cells = []string{cellText(value)}
		}
		for i := range max(len(cells), len(columns[k].Cells)) {
			if k > 0 || i > 0 {
				_ = out.WriteByte(',') // as above
			}
			if i < len(cells) {
				writeField(out, cells[i], columns[k].Type)
			}
		}
	}
	return out.WriteByte('\n')
}

func writeField(out *bufio.Writer, field string, kind ValueType) {
	if kind != IntegerValue && (kind != NumberValue || !LooksNumeric(field)) {
		field = Protect(field)
	}
	if strings.ContainsAny(field, ",;\t\"\r\n") {
		field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
	}
	_, _ = out.WriteString(field) // an error stays, and the next write returns it
}

// cellText returns a value that is no list as text.
func cellText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case time.Time:
		return FormatTime(v)
	case map[string]string:
		if len(v) == 0 {
			return ""
		}
		text, err := json.Marshal(v)
		if err != nil {
			panic("table: " + err.Error()) // a map of texts is always JSON
		}
		return string(text)
	}
	panic(fmt.Sprintf("table: a value cannot be a %T", value))
}

// FormatTime returns a time in UTC, in RFC 3339 with microseconds, the precision of every store; "" for the
// zero time.
func FormatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00")
}

// A jsonWriter writes rows as objects with all names, one per line.
type jsonWriter struct {
	out     *bufio.Writer
	columns []WrittenColumn
	line    bytes.Buffer
	values  *json.Encoder // into line
}

func newJSONWriter(out *bufio.Writer, columns []WrittenColumn) *jsonWriter {
	w := &jsonWriter{out: out, columns: columns}
	w.values = json.NewEncoder(&w.line)
	w.values.SetEscapeHTML(false)
	return w
}

func (w *jsonWriter) write(row []any) error {
	w.line.Reset()
	separator := byte('{')
	for k, value := range row {
		w.line.WriteByte(separator)
		w.encode(w.columns[k].Name)
		w.line.WriteByte(':')
		w.encode(jsonValue(w.columns[k], value))
		separator = ','
	}
	w.line.WriteString("}\n")
	_, err := w.out.Write(w.line.Bytes())
	return err
}

func (w *jsonWriter) encode(value any) {
	if err := w.values.Encode(value); err != nil {
		panic("table: " + err.Error()) // texts and literals are always JSON
	}
	w.line.Truncate(w.line.Len() - 1) // without the line feed
}

// jsonValue returns a value as JSON has it: lists and objects are never null, numbers are as written if
// JSON allows that.
func jsonValue(column WrittenColumn, value any) any {
	switch v := value.(type) {
	case string:
		x, isNumber := ParseNumber(v)
		switch {
		case column.Optional && v == "":
			return nil
		case column.Type == NumberValue && isNumber && json.Valid([]byte(v)):
			return json.RawMessage(v)
		case column.Type == NumberValue && isNumber:
			return x
		case column.Type == BooleanValue && IsPlainTruth(v):
			return json.RawMessage(v)
		}
	case time.Time:
		return FormatTime(v)
	case []string:
		return append([]string{}, v...)
	case map[string]string:
		if v == nil {
			return map[string]string{}
		}
	}
	return value
}

const trueText = "true"

// IsPlainTruth reports whether a text is "true" or "false".
func IsPlainTruth(text string) bool { return text == trueText || text == "false" }

// The limits of a row group, which is in memory until it is written.
const (
	groupRows = 1 << 16
	groupText = 16 << 20 // bytes
)

// A parquetWriter writes groups of rows, with columns in the given order. Times that are unknown are null.
type parquetWriter struct {
	out     *parquet.GenericWriter[any]
	columns []WrittenColumn
	row     parquet.Row
	rows    int // of the current group
	text    int // of the current group, in bytes
}

func newParquetWriter(out io.Writer, given []WrittenColumn) *parquetWriter {
	schema, columns := parquetSchema{Group: parquet.Group{}}, slices.Clone(given)
	for i := range columns {
		column := &columns[i]
		node := parquetNode(column.Type)
		column.Optional = column.Optional || column.Type == TimeValue
		if column.Optional {
			node = parquet.Optional(node)
		}
		schema.Group[column.Name] = node
		schema.order = append(schema.order, column.Name)
	}
	return &parquetWriter{columns: columns, out: parquet.NewGenericWriter[any](out, parquet.NewSchema("rows", schema),
		parquet.Compression(&parquet.Snappy))}
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

func parquetNode(kind ValueType) parquet.Node {
	switch kind {
	case NumberValue:
		return parquet.Leaf(parquet.DoubleType)
	case BooleanValue:
		return parquet.Leaf(parquet.BooleanType)
	case IntegerValue:
		return parquet.Leaf(parquet.Int64Type)
	case TimeValue:
		return parquet.Timestamp(parquet.Microsecond)
	case ListValue:
		return parquet.List(parquet.String())
	case TextValue, ObjectValue:
	}
	return parquet.String()
}

func (w *parquetWriter) write(row []any) error {
	w.row = w.row[:0]
	for k, value := range row {
		w.append(k, value)
	}
	if _, err := w.out.WriteRows([]parquet.Row{w.row}); err != nil {
		return err
	}
	if w.rows++; w.rows < groupRows && w.text < groupText {
		return nil
	}
	w.rows, w.text = 0, 0
	return w.out.Flush()
}

// append appends the value of a column to the row.
func (w *parquetWriter) append(k int, value any) {
	column := w.columns[k]
	if list, isList := value.([]string); isList {
		if len(list) == 0 {
			w.row = append(w.row, parquet.NullValue().Level(0, 0, k))
		}
		for i, text := range list {
			w.row = append(w.row, w.bytes(text).Level(min(i, 1), 1, k))
		}
		return
	}
	text, level := cellText(value), 0
	switch {
	case column.Optional && text == "":
		w.row = append(w.row, parquet.NullValue().Level(0, 0, k))
		return
	case column.Optional:
		level = 1
	}
	cell := w.bytes(text)
	switch v := value.(type) {
	case int64:
		cell = parquet.Int64Value(v)
	case time.Time:
		cell = parquet.Int64Value(v.UnixMicro())
	case string:
		if x, isNumber := ParseNumber(v); column.Type == NumberValue && isNumber {
			cell = parquet.DoubleValue(x)
		} else if column.Type == BooleanValue {
			cell = parquet.BooleanValue(v == trueText)
		}
	}
	w.row = append(w.row, cell.Level(0, level, k))
}

func (w *parquetWriter) bytes(text string) parquet.Value {
	w.text += len(text)
	return parquet.ByteArrayValue([]byte(text))
}

// The parts of a workbook with one sheet, besides the sheet.
const (
	typesPart = xml.Header + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`
	relationsPart = xml.Header + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`
	bookPart = xml.Header + `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<sheets><sheet name="Results" sheetId="1" r:id="rId1"/></sheets></workbook>`
	bookRelationsPart = xml.Header + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`
	stylesPart = xml.Header + `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font/></fonts>` +
		`<fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
		`<cellXfs count="2"><xf/><xf numFmtId="10" applyNumberFormat="1"/></cellXfs></styleSheet>`
)

// WriteWorkbook writes a workbook with one sheet. Cells are strings, ints and float64s, which are shares and shown in
// percent; nil is an empty cell. Spreadsheets show strings as they are, and never execute them as formulas.
func WriteWorkbook(w io.Writer, rows iter.Seq[[]any]) error {
	book := zip.NewWriter(w)
	for _, part := range []struct{ name, text string }{
		{contentTypes, typesPart},
		{"_rels/.rels", relationsPart},
		{"xl/workbook.xml", bookPart},
		{"xl/_rels/workbook.xml.rels", bookRelationsPart},
		{"xl/styles.xml", stylesPart},
	} {
		out, err := book.Create(part.name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, part.text); err != nil {
			return err
		}
	}
	out, err := book.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return err
	}
	if err := writeSheet(out, rows); err != nil {
		return err
	}
	return book.Close()
}

func writeSheet(w io.Writer, rows iter.Seq[[]any]) error {
	out := bufio.NewWriter(w) // keeps the first error until Flush
	_, _ = out.WriteString(xml.Header + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	for row := range rows {
		_, _ = out.WriteString("<row>")
		for _, cell := range row {
			if err := writeCell(out, cell); err != nil {
				return err
			}
		}
		_, _ = out.WriteString("</row>")
	}
	_, _ = out.WriteString("</sheetData></worksheet>")
	return out.Flush()
}

func writeCell(out *bufio.Writer, cell any) error {
	switch value := cell.(type) {
	case nil:
		_, _ = out.WriteString("<c/>")
	case string:
		_, _ = out.WriteString(`<c t="inlineStr"><is><t xml:space="preserve">`)
		if err := xml.EscapeText(out, []byte(value)); err != nil {
			return err
		}
		_, _ = out.WriteString("</t></is></c>")
	case int:
		_, _ = fmt.Fprintf(out, "<c><v>%d</v></c>", value)
	case float64:
		_, _ = fmt.Fprintf(out, `<c s="1"><v>%s</v></c>`, strconv.FormatFloat(value, 'g', -1, 64))
	default:
		panic(fmt.Sprintf("table: a cell cannot be a %T", cell))
	}
	return nil
}

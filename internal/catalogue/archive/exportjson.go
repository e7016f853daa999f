package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strconv"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A jsonWriter writes arms as objects, one per line.
type jsonWriter struct {
	out     *bufio.Writer
	columns []attribute
	names   [][]byte // in JSON
	line    bytes.Buffer
	texts   *json.Encoder // into line
}

func newJSONWriter(out *bufio.Writer, columns []attribute) *jsonWriter {
	w := &jsonWriter{out: out, columns: columns}
	w.texts = json.NewEncoder(&w.line)
	w.texts.SetEscapeHTML(false)
	for _, column := range columns {
		w.line.Reset()
		w.text(column.name)
		w.names = append(w.names, bytes.Clone(w.line.Bytes()))
	}
	return w
}

func (w *jsonWriter) write(row []string) error {
	w.line.Reset()
	for k, value := range row {
		separator := byte(',')
		if k == 0 {
			separator = '{'
		}
		w.line.WriteByte(separator)
		w.line.Write(w.names[k])
		w.line.WriteByte(':')
		w.value(w.columns[k].kind, value)
	}
	w.line.WriteString("}\n")
	_, err := w.out.Write(w.line.Bytes())
	return err
}

// value writes a value: a number as a number, a boolean if its text is true or false, a missing
// attribute as null.
func (w *jsonWriter) value(kind catalogue.Kind, value string) {
	if kind.Feature() && value == "" {
		w.line.WriteString("null")
		return
	}
	if kind == catalogue.Boolean && isPlainTruth(value) {
		w.line.WriteString(value)
		return
	}
	if kind == catalogue.Number {
		if x, isNumber := table.ParseNumber(value); isNumber {
			if !json.Valid([]byte(value)) {
				value = catalogue.Shortest(x, 64)
			}
			w.line.WriteString(value)
			return
		}
	}
	w.text(value)
}

// isPlainTruth reports whether a text is "true" or "false".
func isPlainTruth(text string) bool {
	return text == strconv.FormatBool(true) || text == strconv.FormatBool(false)
}

// text writes a text in quotes.
func (w *jsonWriter) text(text string) {
	if err := w.texts.Encode(text); err != nil {
		panic("archive: " + err.Error()) // a text is always JSON
	}
	w.line.Truncate(w.line.Len() - 1) // without the line feed
}

func (*jsonWriter) close() error { return nil }

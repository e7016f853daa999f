package answers

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
	"unicode/utf8"
)

// A Format is how a file is written. Its text is the ending of the file's name.
type Format string

// The formats.
const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
	Parquet   Format = "parquet"
)

// A Writer writes rows one by one. Nothing is complete before Close.
type Writer struct {
	encoder encoder
	format  Format
	shown   int
	picks   int
}

// An encoder writes rows in one format.
type encoder interface {
	write(row *Row) error
	close() error
}

// NewWriter writes to w rows that have at most so many arms shown and picked. It panics at a
// format that there is not.
func NewWriter(w io.Writer, format Format, shown, picks int) *Writer {
	writer := &Writer{format: format, shown: shown, picks: picks}
	switch format {
	case CSV:
		writer.encoder = newCSVEncoder(w, shown, picks)
	case JSONLines:
		writer.encoder = newJSONEncoder(w)
	case Parquet:
		writer.encoder = newParquetEncoder(w)
	default:
		panic(fmt.Sprintf("answers: there is no format %q", format))
	}
	return writer
}

// Write writes a row, or returns an error if it would not be read again as it is: ids must be
// UTF-8 without space around them. Other texts must be UTF-8; in CSV, they lose space around
// them, and line ends in them become line feeds.
func (w *Writer) Write(row Row) error {
	if problem := w.problem(&row); problem != "" {
		return fmt.Errorf("answers: row %d %s", row.Number, problem)
	}
	return w.encoder.write(&row)
}

// Close writes what is left. It does not close the writer below.
func (w *Writer) Close() error { return w.encoder.close() }

// problem says why a row cannot be written, nothing if it can.
func (w *Writer) problem(row *Row) string {
	if n := len(row.Shown); n > w.shown {
		return fmt.Sprintf("shows %d arms, more than %d", n, w.shown)
	}
	if n := len(row.Picks); n > w.picks {
		return fmt.Sprintf("has %d picks, more than %d", n, w.picks)
	}
	for _, list := range [][]string{row.Shown, row.Picks} {
		for _, id := range list {
			if !w.canBeID(id) {
				return fmt.Sprintf("has an arm that cannot be written as %s: %q", w.format, id)
			}
		}
	}
	for _, text := range []string{row.Kind, row.Respondent, row.Segment} {
		if !isText(text) {
			return fmt.Sprintf("has a text that is none: %q", text)
		}
	}
	for _, t := range []time.Time{row.Asked, row.At} {
		if !isWritable(t) {
			return fmt.Sprintf("has a time that cannot be written: %v", t)
		}
	}
	return ""
}

// canBeID reports whether an id will be read as it is.
func (w *Writer) canBeID(id string) bool {
	if w.format == CSV && strings.Contains(id, "\r\n") {
		return false
	}
	return id != "" && id == strings.TrimSpace(id) && isText(id)
}

// isText reports whether a text can be kept everywhere.
func isText(text string) bool {
	return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0
}

// Write writes all rows, up to the first that cannot be had: see [NewWriter] and [Writer.Write].
func Write(w io.Writer, format Format, shown, picks int, rows iter.Seq2[Row, error]) error {
	writer := NewWriter(w, format, shown, picks)
	for row, err := range rows {
		if err != nil {
			return err
		}
		if err := writer.Write(row); err != nil {
			return err
		}
	}
	return writer.Close()
}

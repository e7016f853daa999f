package answers

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A Format is a file format. Its text is the extension of file names.
type Format string

// The formats.
const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
	Parquet   Format = "parquet"
)

// A Writer writes rows one by one. The file is complete after Close. Not safe for concurrent use.
type Writer struct {
	encoder encoder
	format  Format
	shown   int
	picks   int
}

// An encoder writes rows in one format.
type encoder interface {
	write(row *Row) error
	annotate() // before the first row
	close() error
}

// NewWriter returns a writer of rows with at most the given numbers of shown and picked arms. It
// panics on an unknown format.
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
		panic(fmt.Sprintf("answers: unknown format %q", format))
	}
	return writer
}

// Annotated makes the file contain context, judge, rationale and metadata. It must be called before
// Write.
func (w *Writer) Annotated() { w.encoder.annotate() }

// Labelled makes delimited text contain the labels of rows. It must be called before Write.
func (w *Writer) Labelled() {
	if text, is := w.encoder.(*csvEncoder); is {
		text.labels = true
	}
}

// Write writes a row. It returns an error for a row that a [Reader] would read differently: ids must
// be UTF-8 without surrounding space. Other texts must be UTF-8; in CSV, they lose surrounding space,
// and their line ends become line feeds.
func (w *Writer) Write(row Row) error {
	if problem := w.problem(&row); problem != "" {
		return fmt.Errorf("answers: row %d %s", row.Number, problem)
	}
	return w.encoder.write(&row)
}

// Close writes buffered rows. It does not close the underlying writer.
func (w *Writer) Close() error { return w.encoder.close() }

// problem returns why a row cannot be written, or "".
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
	if n := len(row.Labels); n > len(row.Shown) {
		return fmt.Sprintf("has %d labels of %d arms", n, len(row.Shown))
	}
	texts := append([]string{row.Kind, row.Respondent, row.Segment, row.Context, row.Judge, row.Rationale}, row.Labels...)
	for name, value := range row.Metadata {
		texts = append(texts, name, value)
	}
	for _, text := range texts {
		if notText(text) != "" {
			return fmt.Sprintf("has a text that is not UTF-8 or has a zero byte: %q", text)
		}
	}
	for _, t := range []time.Time{row.Asked, row.At} {
		if !isWritable(t) {
			return fmt.Sprintf("has a time that cannot be written: %v", t)
		}
	}
	return ""
}

// canBeID reports whether a [Reader] would read an id unchanged.
func (w *Writer) canBeID(id string) bool {
	if w.format == CSV && strings.Contains(id, "\r\n") {
		return false
	}
	return id != "" && id == strings.TrimSpace(id) && notText(id) == ""
}

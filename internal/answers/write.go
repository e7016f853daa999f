package answers

import (
	"fmt"
	"io"
	"strings"
	"time"

	"bestpick/internal/table"
)

// A Layout says what the rows of a file have.
type Layout struct {
	Shown, Picks int  // arms, at most
	Labels       bool // in delimited text, the labels of arms
	Notes        bool // context, judge, rationale and metadata
}

// A Writer writes rows one by one. The file is complete after Close. Not safe for concurrent use.
type Writer struct {
	rows   *table.RowWriter
	format table.Format
	layout Layout
}

// NewWriter returns a writer of rows. It panics on an unknown format.
func NewWriter(w io.Writer, format table.Format, layout Layout) *Writer {
	layout.Labels = layout.Labels && format == table.CSV
	column := func(name string, kind table.ValueType) table.WrittenColumn {
		return table.WrittenColumn{Name: name, Type: kind}
	}
	list := func(name string, arms int, suffix string) table.WrittenColumn {
		column := column(name, table.ListValue)
		for i := range arms {
			column.Cells = append(column.Cells, cellName(name, i)+suffix)
		}
		return column
	}
	columns := []table.WrittenColumn{
		column(numberColumn, table.IntegerValue), column(kindColumn, table.TextValue),
		column(questionColumn, table.IntegerValue), column(planColumn, table.IntegerValue),
		column(respondentColumn, table.TextValue), column(segmentColumn, table.TextValue),
		column(askedColumn, table.TimeValue), column(atColumn, table.TimeValue),
		list(shownColumn, layout.Shown, ""), list(picksColumn, layout.Picks, ""),
	}
	if layout.Labels {
		columns = append(columns, list(shownColumn, layout.Shown, labelSuffix), list(picksColumn, layout.Picks, labelSuffix))
	}
	if layout.Notes {
		columns = append(columns, column(contextColumn, table.TextValue), column(judgeColumn, table.TextValue),
			column(rationaleColumn, table.TextValue), column(metadataColumn, table.ObjectValue))
	}
	return &Writer{rows: table.NewRowWriter(w, format, columns), format: format, layout: layout}
}

// Write writes a row. It returns an error for a row that a [Reader] would read differently: ids must
// be UTF-8 without surrounding space. Other texts must be UTF-8; in CSV, they lose surrounding space,
// and their line ends become line feeds.
func (w *Writer) Write(row Row) error {
	if problem := w.problem(&row); problem != "" {
		return fmt.Errorf("answers: row %d %s", row.Number, problem)
	}
	values := []any{
		row.Number, row.Kind, row.Question, int64(row.Plan), row.Respondent, row.Segment, row.Asked, row.At, row.Shown, row.Picks,
	}
	if w.layout.Labels {
		values = append(values, row.Labels, row.pickedLabels())
	}
	if w.layout.Notes {
		values = append(values, row.Context, row.Judge, row.Rationale, row.Metadata)
	}
	return w.rows.Write(values)
}

// Close writes buffered rows. It does not close the underlying writer.
func (w *Writer) Close() error { return w.rows.Close() }

// problem returns why a row cannot be written, or "".
func (w *Writer) problem(row *Row) string {
	if n := len(row.Shown); n > w.layout.Shown {
		return fmt.Sprintf("shows %d arms, more than %d", n, w.layout.Shown)
	}
	if n := len(row.Picks); n > w.layout.Picks {
		return fmt.Sprintf("has %d picks, more than %d", n, w.layout.Picks)
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
		if notText(text).Exists() {
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
	if w.format == table.CSV && strings.Contains(id, "\r\n") {
		return false
	}
	return id != "" && id == strings.TrimSpace(id) && !notText(id).Exists()
}

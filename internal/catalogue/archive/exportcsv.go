package archive

import (
	"bufio"
	"strings"

	"bestpick/internal/table"
)

// A csvWriter writes arms as comma-separated text. Unlike encoding/csv, it quotes fields that
// contain other delimiters, and puts an apostrophe before texts that a spreadsheet would take for
// formulas, unless they are numbers.
type csvWriter struct{ out *bufio.Writer }

func newCSVWriter(out *bufio.Writer, columns []attribute) csvWriter {
	w := csvWriter{out}
	header := make([]string, len(columns))
	for k, column := range columns {
		header[k] = column.name
	}
	_ = w.write(header) // an error stays, and the next write returns it
	return w
}

func (w csvWriter) write(row []string) error {
	for k, field := range row {
		if k > 0 {
			_ = w.out.WriteByte(',') // as above
		}
		if !table.LooksNumeric(field) {
			field = table.Protect(field)
		}
		if strings.ContainsAny(field, ",;\t\"\r\n") {
			field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
		}
		_, _ = w.out.WriteString(field) // as above
	}
	return w.out.WriteByte('\n')
}

func (csvWriter) close() error { return nil }

package read

import (
	"errors"
	"io"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// csvEnding is the ending of names of files with comma-separated values.
const csvEnding = ".csv"

// draftCSV reads the columns of delimited text, see package table for what that may be. Its limits are checked
// before. name is what to call the file.
func draftCSV(source io.Reader, name string, options catalogue.Options) (*draft, error) {
	rows, err := table.NewReader(source, name, table.Limits{})
	if err != nil {
		return nil, err
	}
	return draftRows(rows, options)
}

// draftRows reads the columns of rows of texts.
func draftRows(rows *table.Reader, options catalogue.Options) (*draft, error) {
	b := newBuilder(rows.Name(), options)
	b.nameLine, b.protected, b.delimiter = rows.Line(), true, rows.Delimiter()
	b.lent = b.delimiter != 0
	header := rows.Header()
	if problem := columnsProblem(options.Limits, len(header)); problem.Exists() {
		return nil, rows.ProblemAt(b.nameLine, "", problem)
	}
	for _, column := range columnNames(header) {
		b.addColumn(column)
	}
	err := inBatches(rows, func(row []string, line int) {
		if len(row) != len(header) {
			b.problems.Add(b.Source, line, "", table.Ragged(len(row), len(header)))
			return
		}
		b.Lines = append(b.Lines, int32(line))
		for i, text := range row {
			if b.columns[i].addDecimal(b.rows, text) {
				continue
			}
			if text = strings.TrimSpace(text); text != "" { // missing values take no memory yet
				b.add(i, cell{row: b.rows, form: textCell, text: text})
			}
		}
		b.rows++
	})
	switch {
	case errors.Is(err, table.ErrLimit):
		return nil, err
	case err != nil:
		b.problems.AddError(err)
		return nil, &b.problems
	case b.rows == 0:
		if len(b.problems.List) == 0 {
			b.problems.Add(b.Source, 0, "", table.NoRows())
		}
		return nil, &b.problems
	}
	b.finishColumns()
	b.Encoding = rows.Encoding()
	b.dropUnnamed()
	return &b.draft, nil
}

// A batch is some rows. Batches are filled again and again, so that rows take one allocation each.
type batch struct {
	fields []string
	ends   []int // of the rows, among the fields
	lines  []int
}

// inBatches calls take for every row, while another goroutine reads the following ones.
func inBatches(rows *table.Reader, take func(row []string, line int)) (err error) {
	const batchRows, batches = 256, 4
	full, empty := make(chan *batch, batches), make(chan *batch, batches)
	for range batches {
		empty <- new(batch)
	}
	go func() {
		defer close(full)
		b := <-empty
		err = rows.EachRow(func() error {
			b.fields = append(b.fields, rows.Row()...)
			b.ends, b.lines = append(b.ends, len(b.fields)), append(b.lines, rows.Line())
			if len(b.ends) == batchRows {
				full <- b
				b = <-empty
			}
			return nil
		})
		full <- b
	}()
	for b := range full {
		start := 0
		for i, end := range b.ends {
			take(b.fields[start:end], b.lines[i])
			start = end
		}
		b.fields, b.ends, b.lines = b.fields[:0], b.ends[:0], b.lines[:0]
		empty <- b
	}
	return err
}

// columnNames returns the names of the columns in a header.
func columnNames(header []string) []string {
	names := slices.Clone(header)
	for i := range names {
		names[i] = strings.TrimSpace(table.Unprotect(names[i]))
	}
	nameUnnamed(names)
	return names
}

// dropUnnamed drops the columns that have neither a name nor a value, except for an only one. Spreadsheets write them.
func (d *draft) dropUnnamed() {
	kept := d.Columns[:0]
	for i, c := range d.Columns {
		if c.Name != unnamed(i) || c.Kind == catalogue.Number || len(d.Columns) == 1 ||
			slices.ContainsFunc(c.Texts, func(text string) bool { return text != "" }) {
			kept = append(kept, c)
		}
	}
	d.Columns = kept
}

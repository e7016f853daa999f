// Package read reads files of arms into a [catalogue.Table]: delimited text, Excel workbooks, JSON Lines, Parquet and .npy,
// compressed with gzip or not. It recognises the kinds of the columns and reports all problems of a file with their places.
package read

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// Table reads a table of arms: delimited text, a workbook, JSON Lines or Parquet, compressed with gzip or not;
// or a .npy without ids. The first bytes tell the format, or else the ending of name, which is what to call the file.
func Table(source io.Reader, name string, options catalogue.Options) (*catalogue.Table, error) {
	text, format, err := recognise(source, name, options.Limits)
	if err != nil {
		return nil, err
	}
	var d *draft
	switch {
	case format == table.ParquetFile, format == table.ZIPFile:
		whole, size, failed := wholeFile(source, text, options.Limits)
		if failed != nil {
			return nil, table.ReadError(name, failed)
		}
		if format == table.ZIPFile {
			return Workbook(whole, size, name, options)
		}
		d, err = draftParquet(whole, size, name, options)
	case format == table.NPYFile:
		return NPY(text, name, nil, "", options)
	case options.Sheet != "":
		return nil, &table.Error{File: name, Problem: table.Problemf("no-sheets", "the file has no sheets; only .xlsx files do")}
	case format == table.JSONFile:
		d, err = draftJSON(text, name, options)
	default:
		if err := checkText(source, name, options.Limits); err != nil {
			return nil, err
		}
		if d, err = draftCSV(text, name, options); err == nil {
			d.readList(options)
		}
	}
	if err != nil {
		return nil, err
	}
	return d.finish(options)
}

// wholeFile returns a file that cannot be read in order, which is held in memory if it is compressed or a stream.
func wholeFile(source, text io.Reader, limits table.Limits) (io.ReaderAt, int64, error) {
	if size, known := sizeOf(source); known {
		if whole, is := source.(io.ReaderAt); is && !startsWith(whole, table.GzipMagic) {
			return whole, size, nil
		}
	}
	const maxHeldBytes = 16 << 20 // where there are limits
	if limits.Bytes > 0 {
		text = io.LimitReader(text, maxHeldBytes+1)
	}
	all, err := io.ReadAll(text)
	if err == nil && limits.Bytes > 0 && len(all) > maxHeldBytes {
		err = errors.New("an Excel file inside gzip must not be larger than " + table.Size(maxHeldBytes))
	}
	return bytes.NewReader(all), int64(len(all)), err
}

// recognise returns the text of a file, decompressed, and its format. It returns an error for files that are
// not read. Files within limits are uploads.
func recognise(source io.Reader, name string, limits table.Limits) (*bufio.Reader, table.FileFormat, error) {
	text, format, err := table.Recognise(source, name)
	if err != nil {
		return nil, 0, err
	}
	var problem table.Problem
	switch start, _ := text.Peek(text.Size()); {
	case format == table.ParquetFile && limits != (table.Limits{}):
		problem = table.Problemf("parquet-upload", noParquetUploads)
	case format == table.OldExcelFile:
		problem = table.Problemf("old-excel",
			"this is an old Excel file (.xls), or one with a password; save it as .xlsx without a password")
	case format == table.BinaryFile:
		problem = table.NoTextFile(start)
	case format > table.JSONFile:
	case catalogue.IsProfiles(table.Ending(name)), table.Ending(name) != csvEnding && startsYAML(start):
		problem = table.Problemf("levels-file", "the file has attributes and their levels; it is read from a file NAME.yaml")
	}
	if problem.Exists() {
		return nil, 0, &table.Error{File: name, Problem: problem}
	}
	return text, format, nil
}

// startsYAML reports whether the first line that is no comment is a name with a list, as in "colour: [red, blue]".
func startsYAML(start []byte) bool {
	for line := range bytes.Lines(start) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' || string(line) == "---" {
			continue
		}
		name, list, found := bytes.Cut(line, []byte{':'})
		return found && !bytes.ContainsAny(name, `,;{["`+"\t") && bytes.HasPrefix(bytes.TrimSpace(list), []byte{'['})
	}
	return false
}

// startsWith reports whether a file has certain bytes at its start.
func startsWith(file io.ReaderAt, magic string) bool {
	start := make([]byte, len(magic))
	_, err := file.ReadAt(start, 0)
	return err == nil && string(start) == magic
}

// checkText returns an error if delimited text exceeds the limits, before it is read. Only uploads,
// which can be read twice, have limits.
func checkText(source io.Reader, name string, limits table.Limits) error {
	whole, again := source.(*io.SectionReader)
	if !again || limits == (table.Limits{}) {
		return nil
	}
	return table.CheckText(io.NewSectionReader(whole, 0, whole.Size()), name, limits)
}

// Rows reads a table of any contents row by row, with its texts as written: delimited text, the fullest
// sheet of a workbook, JSON Lines or Parquet, compressed with gzip or not. Text is streamed; the other
// formats are held in memory. name is the file name in errors.
func Rows(source io.Reader, name string) (*table.Reader, error) {
	return rowsWithin(source, name, table.Limits{})
}

// rowsWithin is [Rows] within limits.
func rowsWithin(source io.Reader, name string, limits table.Limits) (*table.Reader, error) {
	text, format, err := recognise(source, name, limits)
	if err != nil {
		return nil, err
	}
	var d *draft
	switch format { //nolint:exhaustive // others are rejected
	case table.ParquetFile, table.ZIPFile:
		whole, size, failed := wholeFile(source, text, limits)
		if failed != nil {
			return nil, table.ReadError(name, failed)
		}
		if format == table.ZIPFile {
			s, err := openSheet(whole, size, name, catalogue.Options{Limits: limits})
			if err != nil {
				return nil, err
			}
			return s.reader(), nil
		}
		d, err = draftParquet(whole, size, name, catalogue.Options{Limits: limits})
	case table.NPYFile:
		return nil, &table.Error{File: name, Problem: table.Problemf("npy-names",
			"a .npy file has numbers without the names of columns; save the table as CSV or Parquet")}
	case table.JSONFile:
		d, err = draftJSON(text, name, catalogue.Options{Limits: limits})
	default:
		return table.NewReader(text, name, limits)
	}
	if err != nil {
		return nil, err
	}
	return d.rows()
}

// rows returns the rows of a draft. A list of numbers has a column for each number.
func (d *draft) rows() (*table.Reader, error) {
	if err := d.problems.Err(); err != nil {
		return nil, err
	}
	var columns []catalogue.Column
	for i := range d.Columns {
		if c := &d.Columns[i]; c.Kind == catalogue.Embedding {
			columns = append(columns, split(c)...)
		} else {
			columns = append(columns, *c)
		}
	}
	names := catalogue.Table{Columns: columns}
	fields := make([]string, len(columns))
	return table.NewRows(table.Derivation{
		File: d.Source, Header: names.Names(), Each: func(yield func(row []string, line int) error) error {
			for row := range d.Len() {
				for i := range columns {
					fields[i] = columns[i].Text(row)
				}
				if err := yield(fields, d.Line(row)); err != nil {
					return err
				}
			}
			return nil
		},
	}), nil
}

package read

import (
	"archive/zip"
	"errors"
	"io"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// Workbook reads arms from a sheet of an Excel workbook: the first row with cells has the names of the
// columns, and lines in problems are rows of the sheet. name is what to call the file.
func Workbook(source io.ReaderAt, size int64, name string, options catalogue.Options) (*catalogue.Table, error) {
	rows, err := sheetRows(source, size, name, options)
	if err != nil {
		return nil, err
	}
	d, err := draftRows(rows, options)
	if err != nil {
		return nil, err
	}
	d.readList(options)
	return d.finish(options)
}

// openBook opens a workbook.
func openBook(source io.ReaderAt, size int64, limits table.Limits) (*table.Book, error) {
	archive, err := table.OpenZIP(source, size)
	if err != nil {
		return nil, err
	}
	if !table.IsWorkbook(archive) {
		return nil, noWorkbook(archive)
	}
	return table.OpenWorkbook(archive, limits)
}

// noWorkbook says what an archive is that is no workbook.
func noWorkbook(archive *zip.Reader) error {
	switch {
	case table.FindEntry(archive, "encoding.json") != nil:
		return table.Problemf("saved-name", "the file is a saved catalogue; its name must end in .npz")
	case table.FindEntry(archive, "content.xml") != nil:
		return table.Problemf("opendocument", "this is an OpenDocument spreadsheet; save it as .xlsx or CSV")
	default:
		return table.Problemf("no-workbook", "the ZIP archive is not an Excel workbook; unpack it first")
	}
}

// A sheet is the rows of a sheet below its header. Its errors have their places.
type sheet struct {
	rows   *table.SheetRows
	file   string
	limits table.Limits

	header     []string
	headerLine int
	row        []string
	count      int // rows with values, the header included
	bytes      int64
}

// openSheet reads the header.
func openSheet(book *table.Book, name string, options catalogue.Options) (*sheet, error) {
	rows, err := book.SheetRows(options.Sheet)
	if err != nil {
		return nil, table.InFile(name, err)
	}
	s := &sheet{rows: rows, file: name, limits: options.Limits}
	first, err := s.next()
	if errors.Is(err, io.EOF) {
		return nil, &table.Error{File: name, Problem: table.NoText()}
	}
	if err != nil {
		return nil, err
	}
	s.header, s.headerLine = slices.Clone(first), rows.Number()
	return s, nil
}

// next returns the cells of the next row that has values, up to the last that has one and without surrounding
// space, or [io.EOF]. They are valid until the next call.
func (s *sheet) next() ([]string, error) {
	for s.rows.Next() {
		s.row = s.row[:0]
		length, blank := 0, true
		for _, cell := range s.rows.Cells() {
			length += len(cell) + 1
			cell = strings.TrimSpace(cell)
			s.row = append(s.row, cell)
			blank = blank && cell == ""
		}
		s.bytes += int64(length)
		if !blank {
			s.count++
		}
		problem := table.FirstProblem(
			s.limits.RowsProblem(int64(s.count-1)), columnsProblem(s.limits, len(s.row)), s.limits.RowProblem(length),
			s.limits.ValuesProblem(s.count, max(len(s.header), len(s.row))), s.limits.BytesProblem(s.bytes),
		)
		if problem.Exists() {
			return nil, &table.Error{File: s.file, Line: s.rows.Number(), Problem: problem, Cause: table.ErrLimit}
		}
		if !blank {
			return s.row, nil
		}
	}
	s.rows.Close()
	if err := s.rows.Err(); err != nil {
		return nil, table.InFile(s.file, err)
	}
	return nil, io.EOF
}

// sheetRows returns the rows of a sheet of a workbook.
func sheetRows(source io.ReaderAt, size int64, name string, options catalogue.Options) (*table.Reader, error) {
	book, err := openBook(source, size, options.Limits)
	if err != nil {
		return nil, table.InFile(name, err)
	}
	s, err := openSheet(book, name, options)
	if err != nil {
		return nil, err
	}
	return table.NewRows(table.Derivation{
		File: name, Header: s.header, Line: s.headerLine, Each: func(yield func(row []string, line int) error) error {
			for {
				row, err := s.next()
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err != nil {
					return err
				}
				for len(row) < len(s.header) {
					row = append(row, "")
				}
				if err := yield(row, s.rows.Number()); err != nil {
					return err
				}
			}
		},
	}), nil
}

package read

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// Workbook reads arms from a sheet of an Excel workbook: see [Layout] for which. Lines in problems are rows of the
// sheet. name is what to call the file.
func Workbook(source io.ReaderAt, size int64, name string, options catalogue.Options) (*catalogue.Table, error) {
	s, err := openSheet(source, size, name, options)
	if err != nil {
		return nil, err
	}
	s.options = true
	d, err := draftRows(s.reader(), options)
	if err != nil {
		return nil, err
	}
	d.Notes = append(d.Notes, s.notes...)
	if len(s.aside) > 0 {
		d.Notes = append(d.Notes, catalogue.Note{Problem: table.Problemf("aside",
			"rows without the values of an option are left out: %s", catalogue.Enumerate(s.aside, maxAside))})
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
	if !table.IsWorkbook(archive) || isOffice(archive) {
		return nil, noWorkbook(archive)
	}
	return table.OpenWorkbook(archive, limits)
}

// isOffice reports whether an archive is a text or a presentation.
func isOffice(archive *zip.Reader) bool {
	return table.FindEntry(archive, "word/document.xml") != nil || table.FindEntry(archive, "ppt/presentation.xml") != nil
}

// noWorkbook says what an archive is that is no workbook.
func noWorkbook(archive *zip.Reader) error {
	switch {
	case table.FindEntry(archive, "encoding.json") != nil:
		return table.Problemf("saved-name", "the file is a saved catalogue; its name must end in .npz")
	case table.FindEntry(archive, "content.xml") != nil:
		return table.Problemf("opendocument", "this is an OpenDocument spreadsheet; save it as .xlsx or CSV")
	case isOffice(archive):
		return table.Problemf("office", "this is a Word or PowerPoint file; copy its table and paste it")
	default:
		return table.Problemf("no-workbook", "the ZIP archive is not an Excel workbook; unpack it first")
	}
}

// A sheet is the rows of a sheet below its header. Its errors have their places.
type sheet struct {
	rows   *table.SheetRows
	file   string
	limits table.Limits
	fill   func(row int, cells []string) []string

	header     []string
	headerLine int // of the last line of the header; 0 without one
	row        []string
	count      int // rows with values, the header included
	bytes      int64

	options bool // rows that are no options are left out
	aside   []string
	notes   []catalogue.Note
}

// openSheet opens a sheet of a workbook, and reads its header.
func openSheet(source io.ReaderAt, size int64, name string, options catalogue.Options) (*sheet, error) {
	book, err := openBook(source, size, options.Limits)
	if err != nil {
		return nil, table.InFile(name, err)
	}
	layout, err := layoutOf(book, options)
	if err != nil {
		return nil, table.InFile(name, err)
	}
	survey := layout.survey
	if len(survey.First) == 0 {
		return nil, &table.Error{File: name, Problem: table.NoText()}
	}
	if survey.Unsaved > 0 {
		return nil, &table.Error{File: name, Problem: table.Problemf("unsaved-formulas",
			"the values of %d formulas are not in the file; open it in Excel, save it, and try again", survey.Unsaved)}
	}
	rows, err := book.SheetRows(survey)
	if err != nil {
		return nil, table.InFile(name, err)
	}
	s := &sheet{rows: rows, file: name, limits: options.Limits, fill: survey.Fill()}
	s.header, s.headerLine = layout.header()
	if s.notes = layout.notes(options); s.headerLine > 0 {
		s.count = 1
	}
	return s, nil
}

// next returns the cells of the next row below the header that has values, up to the last that has one and without
// surrounding space, or [io.EOF]. They are valid until the next call.
func (s *sheet) next() ([]string, error) {
	for s.rows.Next() {
		s.row = s.row[:0]
		length, blank := 0, true
		for _, cell := range s.fill(s.rows.Number(), s.rows.Cells()) {
			length += len(cell) + 1
			cell = strings.TrimSpace(cell)
			s.row = append(s.row, cell)
			blank = blank && cell == ""
		}
		s.bytes += int64(length)
		blank = blank || s.rows.Number() <= s.headerLine
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
		switch {
		case blank:
		case s.options && isAside(s.row, len(s.header)):
			text := strings.Join(strings.Fields(strings.Join(s.row, " ")), " ")
			s.aside = append(s.aside, fmt.Sprintf("%d (%s)", s.rows.Number(), table.Excerpt([]byte(text))))
		default:
			return s.row, nil
		}
	}
	s.rows.Close()
	if err := s.rows.Err(); err != nil {
		return nil, table.InFile(s.file, err)
	}
	return nil, io.EOF
}

// reader returns the rows of the sheet.
func (s *sheet) reader() *table.Reader {
	return table.NewRows(table.Derivation{
		File: s.file, Header: s.header, Line: max(1, s.headerLine), Each: func(yield func(row []string, line int) error) error {
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
	})
}

// maxAside is how many rows that are no options a note lists.
const maxAside = 4

// isAside reports whether a row of a table is no option: a heading or a remark in one cell, or a sum.
func isAside(row []string, columns int) bool {
	const wide = 3 // where one value is too few
	values, first := 0, ""
	for _, text := range row {
		if text != "" {
			values++
			first = cmp.Or(first, text)
		}
	}
	word := strings.ToLower(strings.TrimRight(first, ":. "))
	return columns >= wide && values == 1 || columns > 1 && slices.Contains([]string{
		"total", "totals", "subtotal", "sum", "grand total", "average", "summe", "zwischensumme", "gesamt", "gesamtsumme", "durchschnitt",
	}, word)
}

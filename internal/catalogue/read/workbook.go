package read

import (
	"archive/zip"
	"errors"
	"io"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
	"bestpick/internal/xlsx"
	"bestpick/internal/zipcheck"
)

// Workbook reads arms from a sheet of an Excel workbook: the first row with cells has the names of the
// columns, and lines in problems are rows of the sheet. name is what to call the file.
func Workbook(source io.ReaderAt, size int64, name string, options catalogue.Options) (*catalogue.Table, error) {
	d, err := draftWorkbook(source, size, name, options)
	if err != nil {
		return nil, table.InFile(name, err)
	}
	d.readList(options)
	return d.finish(options)
}

func draftWorkbook(source io.ReaderAt, size int64, name string, options catalogue.Options) (*draft, error) {
	book, err := openBook(source, size, options.Limits)
	if err != nil {
		return nil, err
	}
	if options.Limits != (table.Limits{}) {
		if err := checkSheet(book, name, options); err != nil {
			return nil, err
		}
	}
	text, err := openSheet(book, name, options)
	if err != nil {
		return nil, err
	}
	defer text.rows.Close()
	blocks, err := table.NewCSVBlocks(text, name)
	if err != nil {
		return nil, err
	}
	return draftBlocks(blocks, name, 0, options)
}

// openBook opens a workbook.
func openBook(source io.ReaderAt, size int64, limits table.Limits) (*xlsx.Book, error) {
	archive, err := zipcheck.Open(source, size)
	if err != nil {
		return nil, err
	}
	if !xlsx.IsWorkbook(archive) {
		return nil, errors.New(noWorkbook(archive))
	}
	return xlsx.Open(archive, limits)
}

// noWorkbook says what an archive is that is no workbook.
func noWorkbook(archive *zip.Reader) string {
	switch {
	case zipcheck.Find(archive, "encoding.json") != nil:
		return "the file is a saved catalogue; its name must end in .npz"
	case zipcheck.Find(archive, "content.xml") != nil:
		return "this is an OpenDocument spreadsheet; save it as .xlsx or CSV"
	default:
		return "the ZIP archive is not an Excel workbook"
	}
}

// checkSheet returns an error if a sheet is malformed or exceeds the limits, before memory is spent on it.
func checkSheet(book *xlsx.Book, name string, options catalogue.Options) error {
	text, err := openSheet(book, name, options)
	if err != nil {
		return err
	}
	defer text.rows.Close()
	_, err = io.Copy(io.Discard, text)
	return err
}

// A sheetText is a sheet as comma-separated text, a line for each row.
type sheetText struct {
	rows   *xlsx.Rows
	file   string
	limits table.Limits

	buffer []byte
	rest   []byte // of the buffer, not read yet
	line   int    // of the last row in the buffer
	filled int    // rows with cells, the header included
	width  int    // of the header
	bytes  int64
}

func openSheet(book *xlsx.Book, name string, options catalogue.Options) (*sheetText, error) {
	rows, err := book.Rows(options.Sheet)
	if err != nil {
		return nil, err
	}
	return &sheetText{rows: rows, file: name, limits: options.Limits}, nil
}

// Read returns the text of the sheet. Its errors have their places.
func (t *sheetText) Read(p []byte) (int, error) {
	const enough = 1 << 16
	if len(t.rest) == 0 {
		t.buffer = t.buffer[:0]
		for len(t.buffer) < enough && t.rows.Next() {
			if err := t.appendRow(); err != nil {
				return 0, err
			}
		}
		if err := t.rows.Err(); err != nil {
			return 0, table.InFile(t.file, err)
		}
		t.rest = t.buffer
	}
	if len(t.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// appendRow appends the current row, after blank lines for the rows that the sheet leaves out.
func (t *sheetText) appendRow() error {
	for ; t.line < t.rows.Number()-1; t.line++ {
		t.buffer = append(t.buffer, '\n')
	}
	start := len(t.buffer)
	cells := t.rows.Cells()
	if len(cells) > 0 {
		t.filled++
	}
	if t.width == 0 {
		t.width = len(cells)
	}
	for i, cell := range cells {
		if i > 0 {
			t.buffer = append(t.buffer, ',')
		}
		t.buffer = appendField(t.buffer, cell)
	}
	for range t.width - max(1, len(cells)) {
		t.buffer = append(t.buffer, ',')
	}
	length := len(t.buffer) - start
	t.buffer = append(t.buffer, '\n')
	t.line++
	t.bytes += int64(length) + 1
	return t.check(len(cells), length)
}

// check returns the limit that the sheet exceeds with its last row, nil if none.
func (t *sheetText) check(cells, bytes int) error {
	problem := table.FirstProblem(
		t.limits.RowsProblem(int64(t.filled-1)), columnsProblem(t.limits, cells), t.limits.RowProblem(bytes),
		t.limits.ValuesProblem(t.filled, t.width), t.limits.BytesProblem(t.bytes),
	)
	if !problem.Exists() {
		return nil
	}
	return &table.Error{File: t.file, Line: t.line, Problem: problem, Cause: table.ErrLimit}
}

// appendField appends a field of comma-separated text.
func appendField(text []byte, field string) []byte {
	if !strings.ContainsAny(field, "\",") {
		return append(text, field...)
	}
	text = append(text, '"')
	text = append(text, strings.ReplaceAll(field, `"`, `""`)...)
	return append(text, '"')
}

// Package read reads files of arms into a [catalogue.Table]: delimited text, Excel workbooks, JSON
// Lines, Parquet and .npy, compressed with gzip or not. It recognises the kinds of the columns and reports all problems
// of a file with their places.
package read

import (
	"bytes"
	"errors"
	"io"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// Table reads a table of arms: delimited text, a workbook, JSON Lines or Parquet, compressed with gzip or not;
// or a .npy without ids. The first bytes tell the format, or else the ending of name, which is what to call the file.
func Table(source io.Reader, name string, options catalogue.Options) (*catalogue.Table, error) {
	size, known := sizeOf(source)
	if whole, isWhole := source.(io.ReaderAt); known && isWhole {
		switch {
		case startsWith(whole, parquetMagic) && options.Limits == (table.Limits{}):
			return Parquet(whole, size, name, options)
		case startsWith(whole, table.ZIPMagic):
			return Workbook(whole, size, name, options)
		}
	}
	text, err := table.Unpacked(source)
	if err != nil {
		return nil, table.ReadError(name, err)
	}
	start, err := text.Peek(text.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, table.ReadError(name, err)
	}
	if problem := noTable(start, name, options.Limits); problem.Exists() {
		return nil, &table.Error{File: name, Problem: problem}
	}
	switch {
	case bytes.HasPrefix(start, []byte(parquetMagic)), bytes.HasPrefix(start, []byte(table.ZIPMagic)):
		all, err := readHeld(text, options.Limits)
		if err != nil {
			return nil, table.ReadError(name, err)
		}
		return Table(io.NewSectionReader(bytes.NewReader(all), 0, int64(len(all))), name, options)
	case bytes.HasPrefix(start, []byte(npyMagic)):
		return NPY(text, name, nil, "", options)
	case options.Sheet != "":
		return nil, &table.Error{File: name, Problem: table.Problemf("no-sheets", "the file has no sheets; only .xlsx files do")}
	case isJSON(start, name):
		return JSONLines(text, name, options)
	default:
		if err := checkText(source, name, options.Limits); err != nil {
			return nil, err
		}
		return readCSV(text, name, size, options)
	}
}

// maxHeldBytes is the maximum size of a workbook that is held in memory because it is compressed as a
// whole. It applies where there are limits.
const maxHeldBytes = 16 << 20

// readHeld reads a file that has to be held in memory.
func readHeld(text io.Reader, limits table.Limits) ([]byte, error) {
	if limits.Bytes == 0 {
		return io.ReadAll(text)
	}
	all, err := io.ReadAll(io.LimitReader(text, maxHeldBytes+1))
	if err == nil && len(all) > maxHeldBytes {
		err = errors.New("an Excel file inside gzip must not be larger than " + table.Size(maxHeldBytes))
	}
	return all, err
}

// noTable returns why a file is not read, by its first bytes and the ending of its name, if any. Files
// within limits are uploads.
func noTable(start []byte, name string, limits table.Limits) table.Problem {
	const oldOffice = "\xd0\xcf\x11\xe0" // .xls, and .xlsx with a password
	switch {
	case bytes.HasPrefix(start, []byte(parquetMagic)) && limits != (table.Limits{}):
		return table.Problemf("parquet-upload", noParquetUploads)
	case bytes.HasPrefix(start, []byte(parquetMagic)), bytes.HasPrefix(start, []byte(table.ZIPMagic)),
		bytes.HasPrefix(start, []byte(npyMagic)):
		return table.Problem{}
	case bytes.HasPrefix(start, []byte(oldOffice)):
		return table.Problemf("old-excel",
			"this is an old Excel file (.xls), or one with a password; save it as .xlsx without a password")
	case bytes.IndexByte(start, 0) >= 0 && !table.IsUTF16(start):
		return table.Problemf("no-text", "the file is not text")
	case catalogue.IsProfiles(catalogue.Ending(name)), catalogue.Ending(name) != csvEnding && startsYAML(start):
		return table.Problemf("levels-file", "the file has attributes and their levels; it is read from a file NAME.yaml")
	}
	return table.Problem{}
}

// startsYAML reports whether the first line that is no comment is a name with a list, as in
// "colour: [red, blue]".
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

// isJSON reports whether a text is JSON by its name or, where that does not tell, by its first
// character.
func isJSON(start []byte, name string) bool {
	switch catalogue.Ending(name) {
	case ".jsonl", ".ndjson", ".json":
		return true
	case csvEnding, ".tsv", ".txt":
		return false
	}
	start = bytes.TrimLeft(start, "\ufeff\xff\xfe\x00 \t\r\n") // the marks of any encoding, and the zeros of UTF-16
	return len(start) > 0 && (start[0] == '{' || start[0] == '[')
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

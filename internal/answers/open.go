package answers

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"bestpick/internal/table"
)

// parquetMagic is how a Parquet file starts.
const parquetMagic = "PAR1"

// open recognises the format of a file by its first bytes, or else by its name. Parquet is read without
// limits only, from the user's own disk: its library allocates what a file declares.
func open(from io.Reader, name string, limits table.Limits) (source, error) {
	text, err := table.Unpacked(from)
	if err != nil {
		return nil, table.ReadError(name, err)
	}
	start, err := text.Peek(text.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, table.ReadError(name, err)
	}
	if bytes.HasPrefix(start, []byte(parquetMagic)) && limits == (table.Limits{}) {
		return openParquet(text, name)
	}
	if problem := formatProblem(start, name); problem != "" {
		return nil, &table.Error{File: name, Problem: table.Problemf("", "%s", problem)}
	}
	if isJSON(start, name) {
		return openJSON(text, name, limits)
	}
	return openCSV(text, name, limits)
}

// formatProblem returns why a file cannot be read, by its first bytes and its name, or "" if it may
// be CSV or JSON Lines.
func formatProblem(start []byte, name string) string {
	const zipMagic = "PK\x03\x04"
	utf16 := bytes.HasPrefix(start, []byte{0xff, 0xfe}) || bytes.HasPrefix(start, []byte{0xfe, 0xff})
	switch {
	case bytes.HasPrefix(start, []byte(parquetMagic)), ending(name) == "."+string(Parquet):
		return "Parquet files of answers cannot be imported; answers must be CSV or JSON Lines"
	case bytes.HasPrefix(start, []byte(zipMagic)):
		return "the file is a ZIP archive: a spreadsheet must be saved as CSV"
	case bytes.IndexByte(start, 0) >= 0 && !utf16:
		return "the file is not text"
	}
	return ""
}

// isJSON reports whether a text is JSON by its name or, where that does not tell, by its first
// character.
func isJSON(start []byte, name string) bool {
	switch ending(name) {
	case ".jsonl", ".ndjson", ".json":
		return true
	case ".csv", ".tsv", ".txt":
		return false
	}
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n")
	return len(start) > 0 && (start[0] == '{' || start[0] == '[')
}

// ending returns the extension of a name, without .gz.
func ending(name string) string {
	return path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
}

package answers

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"bestpick/internal/parquets"
	"bestpick/table"
)

const (
	// parquetEnding is how the names of Parquet files end.
	parquetEnding = ".parquet"

	// largestParquet is what is held in memory of a file that cannot be read at any place.
	largestParquet = 16 << 20
)

// open recognises a file, by its first bytes or else by its name.
func open(from io.Reader, name string, limits table.Limits) (source, error) {
	if file, size, direct := anyPlace(from); direct {
		start := make([]byte, len(parquets.Magic))
		if _, err := file.ReadAt(start, 0); err == nil && string(start) == parquets.Magic {
			return openParquet(file, size, name, limits)
		}
	}
	text, err := table.Unpacked(from)
	if err != nil {
		return nil, readError(name, err)
	}
	start, err := text.Peek(text.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, readError(name, err)
	}
	if problem := noAnswers(start); problem != "" {
		return nil, &table.Error{File: name, Problem: problem}
	}
	switch {
	case bytes.HasPrefix(start, []byte(parquets.Magic)), ending(name) == parquetEnding:
		all, err := io.ReadAll(io.LimitReader(text, largestParquet+1))
		if err != nil {
			return nil, readError(name, err)
		}
		if len(all) > largestParquet {
			return nil, &table.Error{File: name, Problem: "a Parquet file inside gzip must not be larger than " + table.Size(largestParquet)}
		}
		return openParquet(bytes.NewReader(all), int64(len(all)), name, limits)
	case isJSON(start, name):
		return openJSON(text, name, limits), nil
	default:
		return openCSV(text, name, limits)
	}
}

// anyPlace returns what is left of a source that can be read at any place, and how large it is.
func anyPlace(from io.Reader) (rest io.ReaderAt, size int64, direct bool) {
	file, direct := from.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !direct {
		return nil, 0, false
	}
	start, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, 0, false
	}
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, false
	}
	if _, err := file.Seek(start, io.SeekStart); err != nil {
		return nil, 0, false
	}
	return io.NewSectionReader(file, start, end-start), end - start, true
}

// noAnswers says what a file is that has no rows, by its first bytes.
func noAnswers(start []byte) string {
	const zipMagic = "PK\x03\x04"
	utf16 := bytes.HasPrefix(start, []byte{0xff, 0xfe}) || bytes.HasPrefix(start, []byte{0xfe, 0xff})
	switch {
	case bytes.HasPrefix(start, []byte(parquets.Magic)):
		return ""
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

// ending returns how a name ends, apart from .gz.
func ending(name string) string {
	return path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
}

package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
)

// A FileFormat is the format of a file, by its first bytes or else by its name.
type FileFormat int

// The formats of files that can be read, and others, which are rejected with a clearer message.
const (
	TextFile FileFormat = iota // delimited text
	JSONFile                   // objects, one a line or in one list
	ParquetFile
	ZIPFile      // a workbook, or a saved catalogue
	NPYFile      // a matrix of NumPy
	OldExcelFile // .xls, and .xlsx with a password
	BinaryFile   // any other that is not text
)

// NPYMagic is how a .npy starts.
const NPYMagic = "\x93NUMPY"

// Recognise decompresses a file and recognises its format. Nothing of the returned text is read yet. name is
// the name in errors.
func Recognise(source io.Reader, name string) (*bufio.Reader, FileFormat, error) {
	text, err := Unpacked(source)
	if err != nil {
		return nil, 0, ReadError(name, err)
	}
	start, err := text.Peek(text.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, ReadError(name, err)
	}
	return text, formatOf(start, name), nil
}

func formatOf(start []byte, name string) FileFormat {
	for magic, format := range map[string]FileFormat{
		"PAR1": ParquetFile, ZIPMagic: ZIPFile, NPYMagic: NPYFile, "\xd0\xcf\x11\xe0": OldExcelFile,
	} {
		if bytes.HasPrefix(start, []byte(magic)) {
			return format
		}
	}
	if _, utf16 := utf16Order(start); bytes.IndexByte(start, 0) >= 0 && !utf16 || NoTextFile(start).Text != NoTextFile(nil).Text {
		return BinaryFile
	}
	switch Ending(name) {
	case ".jsonl", ".ndjson", ".json":
		return JSONFile
	case ".csv", ".tsv", ".txt":
		return TextFile
	}
	start = bytes.TrimLeft(start, "\ufeff\xff\xfe\x00 \t\r\n") // the marks of any encoding, and the zeros of UTF-16
	if len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		return JSONFile
	}
	return TextFile
}

// NoTextFile returns the problem of a [BinaryFile], given its first bytes.
func NoTextFile(start []byte) Problem {
	const picture, webPage = "a picture; add pictures beside a table that names them", "a web page; copy its table and paste it"
	for _, known := range [][2]string{
		{"%PDF-", "a PDF document; save its table as .xlsx or CSV"},
		{"\x89PNG", picture},
		{"\xff\xd8\xff", picture},
		{"GIF8", picture},
		{"<!doctype html", webPage},
		{"<!DOCTYPE html", webPage},
		{"<html", webPage},
		{"<stata_dta>", "of Stata; write CSV with export delimited"},
		{"$FL", "of SPSS; save it as CSV"},
		{"RDX", "of R; write CSV with write.csv"},
		{"X\n\x00\x00", "of R; write CSV with write.csv"},
		{"ARROW1", "of Arrow; save it as Parquet or CSV"},
		{"FEA1", "of Arrow; save it as Parquet or CSV"},
		{"BZh", "compressed with bzip2; decompress it, or use gzip"},
		{"\xfd7zXZ", "compressed with xz; decompress it, or use gzip"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd; decompress it, or use gzip"},
	} {
		if bytes.HasPrefix(start, []byte(known[0])) {
			return Problemf("other-format", "the file is %s", known[1])
		}
	}
	return Problemf("no-text", "the file is not text")
}

// Ending returns the ending of a file name in lower case, without .gz.
func Ending(name string) string {
	return path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
}

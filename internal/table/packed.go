package table

import "io"

// CheckPacked decompresses a file and returns an [Error] if that yields more than limit bytes, or
// another gzip file. A small file can decompress to any size, so untrusted files are checked before
// they are read. Other problems are left to the reader of the file.
func CheckPacked(source io.Reader, file string, limit int64) error {
	text, packed, err := unpacked(source)
	if err != nil || !packed {
		return nil //nolint:nilerr // as said above
	}
	if start, _ := text.Peek(len(gzipMagic)); string(start) == gzipMagic {
		return &Error{File: file, Problem: Problemf("packed-twice", "the file is compressed twice")}
	}
	size, _ := io.Copy(io.Discard, io.LimitReader(text, limit+1)) // as said above
	if problem := (Limits{Bytes: limit}).BytesProblem(size); problem.Exists() {
		return &Error{File: file, Problem: problem}
	}
	return nil
}

package table

import (
	"fmt"
	"io"
)

// CheckPacked goes through a file and returns an [Error] if it is packed and would be larger than most bytes
// when it is unpacked, or is packed in what is packed. A small file can unpack to any size, so that files from
// strangers are checked before they are read. What else is wrong with a file is found by whoever reads it.
func CheckPacked(source io.Reader, file string, most int64) error {
	text, packed, err := unpacked(source)
	if err != nil || !packed {
		return nil //nolint:nilerr // as said above
	}
	if start, _ := text.Peek(len(gzipMagic)); string(start) == gzipMagic {
		return &Error{File: file, Problem: "the file is packed twice"}
	}
	if size, _ := io.Copy(io.Discard, io.LimitReader(text, most+1)); size > most {
		return &Error{File: file, Problem: fmt.Sprintf("the file is packed, and larger than %d MB when it is unpacked", most>>20)}
	}
	return nil
}

package parquetcheck

import (
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"
)

// TestPlausible: complete metadata are plausible, with any bytes after them, and no prefix of them
// is.
func TestPlausible(t *testing.T) {
	var protocol thrift.CompactProtocol
	rapid.Check(t, func(t *rapid.T) {
		file := format.FileMetaData{
			Version:   rapid.Int32().Draw(t, "version"),
			NumRows:   rapid.Int64().Draw(t, "rows"),
			CreatedBy: rapid.String().Draw(t, "program"),
		}
		for range rapid.IntRange(0, 20).Draw(t, "columns") {
			file.Schema = append(file.Schema, format.SchemaElement{Name: rapid.String().Draw(t, "name")})
		}
		text, err := thrift.Marshal(&protocol, file)
		if err != nil {
			t.Fatal(err)
		}
		if !plausible(append(text, rapid.SliceOf(rapid.Byte()).Draw(t, "what follows")...), Limits{}) {
			t.Fatalf("%q is not plausible", text)
		}
		for length := range text {
			if plausible(text[:length], Limits{}) {
				t.Fatalf("%d bytes of %q are plausible", length, text)
			}
		}
	})
}

func TestPlausibleForms(t *testing.T) {
	const lists = "\x19" // a list of one list
	for text, want := range map[string]bool{
		"\x00":                        true, // no fields
		"\x11\x12\x00":                true, // true and false
		"\x13a\x00":                   true, // a byte
		"\x03\x02a\x00":               true, // with an explicit field number
		"\x1712345678\x00":            true, // a double
		"\x171234567\x00":             false,
		"\x18\x03abc\x00":             true, // a text
		"\x18\x05abc\x00":             false,
		"\x19\x31\x01\x02\x01\x00":    true, // a list of three
		"\x1a\xf3\x02ab\x00":          true, // a set with a long length
		"\x1a\xf3\x04ab\x00":          false,
		"\x1b\x00\x00":                true, // an empty map
		"\x1b\x02\x38a\x01bc\x00\x00": true, // a map of bytes to texts
		"\x1b\x7f\x38a\x01b\x00":      false,
		"\x1c\x13a\x00\x00":           true, // a struct
		"\x1c\x13a\x00":               false,
		"\x16" + strings.Repeat("\xff", 9) + "\x01\x00":  true, // an integer
		"\x16" + strings.Repeat("\xff", 9) + "\x02\x00":  false,
		"\x19" + strings.Repeat(lists, 31) + "\x13a\x00": true,
		"\x19" + strings.Repeat(lists, 32) + "\x13a\x00": false,
	} {
		if plausible([]byte(text), Limits{}) != want {
			t.Errorf("%q is plausible: %t", text, !want)
		}
	}
}

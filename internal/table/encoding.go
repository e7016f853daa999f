package table

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Text is the text of a file in UTF-8, without a byte-order mark.
type Text struct {
	*bufio.Reader

	decoder *decoder
}

// Decoded converts text to UTF-8. UTF-16 is recognised by its byte-order mark or its zeros, and
// Windows-1252, of which Latin-1 is a part, by the first bytes beyond ASCII. UTF-8 with a few damaged
// bytes is passed on as it is.
func Decoded(text *bufio.Reader) (*Text, error) {
	d := &decoder{source: text}
	start, err := text.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if order, is := utf16Order(start); is {
		d.convert("UTF-16", unicode.UTF16(order, unicode.UseBOM).NewDecoder())
	} else if len(start) >= 3 && string(start[:3]) == "\ufeff" {
		_, _ = text.Discard(3) // it was peeked at
	}
	return &Text{bufio.NewReaderSize(d, text.Size()), d}, nil
}

// Encoding returns the encoding of the text if what was read so far shows that it is not UTF-8, or "".
func (t *Text) Encoding() string { return t.decoder.encoding }

func utf16Order(start []byte) (order unicode.Endianness, is bool) {
	const mark = 0xfeff
	switch {
	case len(start) < 2:
		return unicode.LittleEndian, false
	case binary.LittleEndian.Uint16(start) == mark:
		return unicode.LittleEndian, true
	case binary.BigEndian.Uint16(start) == mark:
		return unicode.BigEndian, true
	case len(start) < 4:
		return unicode.LittleEndian, false
	case start[0] != 0 && start[1] == 0 && start[2] != 0 && start[3] == 0:
		return unicode.LittleEndian, true
	default:
		return unicode.BigEndian, start[0] == 0 && start[1] != 0 && start[2] == 0 && start[3] != 0
	}
}

// A decoder passes ASCII on until there is something else, and then decides on the encoding.
type decoder struct {
	source   *bufio.Reader
	rest     io.Reader // nil while there is only ASCII
	encoding string
}

func (d *decoder) convert(encoding string, by transform.Transformer) {
	d.encoding = encoding
	d.rest = transform.NewReader(d.source, by)
}

func (d *decoder) Read(p []byte) (int, error) {
	if d.rest != nil {
		return d.rest.Read(p)
	}
	ahead, err := d.source.Peek(utf8.UTFMax) // fills the buffer
	if len(ahead) == 0 {
		return 0, err
	}
	ahead, _ = d.source.Peek(d.source.Buffered()) // all of it is there
	n := asciiLength(ahead[:min(len(ahead), len(p))])
	switch {
	case n > 0:
		copy(p, ahead[:n])
		return d.source.Discard(n)
	case mostlyUTF8(ahead):
		d.rest = d.source
	default:
		d.convert("Windows-1252", charmap.Windows1252.NewDecoder())
	}
	return d.rest.Read(p)
}

// asciiLength returns how many bytes a text starts with that are ASCII.
func asciiLength(text []byte) int {
	const high = 0x8080808080808080
	n := 0
	for ; n+32 <= len(text); n += 32 {
		part, word := text[n:n+32], binary.LittleEndian.Uint64
		if (word(part)|word(part[8:])|word(part[16:])|word(part[24:]))&high != 0 {
			break
		}
	}
	for n < len(text) && text[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// mostlyUTF8 reports whether a text has more characters of several bytes than bytes that are not UTF-8. A
// character that the end cuts off counts as neither.
func mostlyUTF8(text []byte) bool {
	good, bad := 0, 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1 && utf8.FullRune(text):
			bad++
		case size > 1:
			good++
		}
		text = text[size:]
	}
	return good >= bad
}

// ZIPMagic is how a ZIP archive starts.
const ZIPMagic = "PK\x03\x04"

// ErrDamagedZIP is returned for archives that cannot be read.
var ErrDamagedZIP error = Problemf("zip", "the ZIP archive is damaged")

// OpenZIP reads the directory of an archive, which may have 4 MB.
func OpenZIP(r io.ReaderAt, size int64) (*zip.Reader, error) {
	const maxDirectoryBytes = 4 << 20 // what the archive ends with included
	budget := &readBudget{ReaderAt: r, left: maxDirectoryBytes}
	archive, err := zip.NewReader(budget, size)
	budget.left = math.MaxInt64
	if err != nil {
		return nil, ErrDamagedZIP
	}
	return archive, nil
}

// A readBudget fails when more than left bytes are read.
type readBudget struct {
	io.ReaderAt

	left int64
}

func (b *readBudget) ReadAt(p []byte, at int64) (int, error) {
	if int64(len(p)) > b.left {
		return 0, errors.New("the directory is too large")
	}
	b.left -= int64(len(p))
	return b.ReaderAt.ReadAt(p, at)
}

// FindEntry returns the entry with a name, nil if there is none.
func FindEntry(archive *zip.Reader, name string) *zip.File {
	for _, file := range archive.File {
		if file.Name == name {
			return file
		}
	}
	return nil
}

// OpenEntry opens an entry that decompresses to at most most bytes, 0 for no limit. Reading fails
// where an entry goes on after the size that the directory says.
func OpenEntry(file *zip.File, most int64) (io.ReadCloser, error) {
	if most > 0 && file.UncompressedSize64 > uint64(most) {
		return nil, fmt.Errorf("%s in the ZIP archive is larger than %s", file.Name, Size(most))
	}
	content, err := file.Open()
	if err != nil {
		return nil, ErrDamagedZIP
	}
	return content, nil
}

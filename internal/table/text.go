package table

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// OpenText decompresses a file and converts its text to UTF-8: see [Decoded]. file is the name in errors.
func OpenText(source io.Reader, file string) (*Text, error) {
	raw, err := Unpacked(source)
	if err != nil {
		return nil, ReadError(file, err)
	}
	text, err := Decoded(raw)
	if err != nil {
		return nil, ReadError(file, err)
	}
	return text, nil
}

// openText returns the text of a table and what separates its fields. Nothing of it is read yet,
// but for the word of a spreadsheet on what that is. file is the name to use in errors.
func openText(source io.Reader, file string) (*Text, byte, error) {
	text, err := OpenText(source, file)
	if err != nil {
		return nil, 0, err
	}
	if ahead, _ := text.Peek(text.Size()); bytes.IndexByte(ahead, '\n') < 0 && bytes.IndexByte(ahead, '\r') >= 0 {
		return nil, 0, &Error{File: file, Problem: Problemf("carriage-returns",
			"the lines end in carriage returns alone; save it with line feeds")}
	}
	spaced, err := normaliseLines(text)
	if err != nil {
		return nil, 0, ReadError(file, err)
	}
	if spaced {
		return text, '\t', nil
	}
	delimiter, err := delimiterOf(text.Reader)
	if err != nil {
		return nil, 0, ReadError(file, err)
	}
	return text, delimiter, nil
}

// normaliseLines makes the comments above the header empty lines: lines that start with # and have other
// delimiters than the first that does not. If spaces separate the fields, it makes them tabs, and reports true.
func normaliseLines(text *Text) (spaced bool, err error) {
	start, _ := text.Peek(text.Size())
	comments, length := 0, 0
	for line := range bytes.Lines(start) {
		if line[0] != '#' {
			break
		}
		comments, length = comments+1, length+len(line)
	}
	spaced = isSpaced(start[length:])
	if header := countDelimiters(start[length:]); !spaced && comments > 0 &&
		(len(header) == 0 || slices.ContainsFunc(countDelimiters(start[:length]), func(line delimiterCounts) bool {
			return line.all == header[0].all
		})) {
		return false, nil
	}
	if _, err := text.Discard(length); err != nil {
		return false, err
	}
	rest := io.Reader(text.Reader)
	if spaced {
		rest = &spacedText{source: text.Reader, ended: true}
	}
	if spaced || comments > 0 {
		text.Reader = bufio.NewReaderSize(io.MultiReader(strings.NewReader(strings.Repeat("\n", comments)), rest), text.Size())
	}
	return spaced, nil
}

// isSpaced reports whether spaces separate the fields of a table: at least three in each line, as many as in the
// header, which has no other delimiter, and at least half of the columns are numbers.
func isSpaced(start []byte) bool {
	lines := bytes.Split(start, []byte{'\n'})
	lines = lines[:max(0, len(lines)-1)] // the last may be cut off
	if len(lines) < 2 || bytes.ContainsAny(lines[0], delimiters+`"`) {
		return false
	}
	columns := len(bytes.Fields(lines[0]))
	numeric := slices.Repeat([]bool{true}, columns)
	for _, line := range lines[1:] {
		fields := bytes.Fields(line)
		if len(fields) != columns && len(fields) > 0 {
			return false
		}
		for i, field := range fields {
			_, isNumber := ParseNumber(field)
			numeric[i] = numeric[i] && (isNumber || IsMissing(string(field)))
		}
	}
	numbers := 0
	for _, is := range numeric {
		if is {
			numbers++
		}
	}
	return columns >= 3 && 2*numbers >= columns
}

// spacedText is a text in which runs of spaces are tabs, except at the start of a line.
type spacedText struct {
	source *bufio.Reader
	ended  bool // the last character was a space, a tab or the end of a line
}

func (s *spacedText) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c, err := s.source.ReadByte()
		if err != nil {
			if n > 0 {
				err = nil
			}
			return n, err
		}
		space := c == ' ' || c == '\t' || c == '\r'
		if space {
			next, _ := s.source.Peek(1)
			if s.ended || len(next) == 0 || next[0] == '\n' || next[0] == '\r' {
				continue
			}
			c = '\t'
		}
		s.ended = space || c == '\n'
		p[n] = c
		n++
	}
	return n, nil
}

// GzipMagic is the start of a gzip file.
const GzipMagic = "\x1f\x8b"

// Unpacked returns the text of a source, decompressed if it is gzip.
func Unpacked(source io.Reader) (*bufio.Reader, error) {
	text, _, err := unpacked(source)
	return text, err
}

// unpacked also reports whether the source is compressed.
func unpacked(source io.Reader) (text *bufio.Reader, packed bool, err error) {
	const size = 1 << 16
	raw := bufio.NewReaderSize(source, size)
	magic, err := raw.Peek(len(GzipMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if string(magic) != GzipMagic {
		return raw, false, nil
	}
	inside, err := gzip.NewReader(raw)
	if err != nil {
		return nil, true, err
	}
	return bufio.NewReaderSize(inside, size), true, nil
}

// delimiterOf returns the delimiter that a first line sep=; names, which some spreadsheets write, and consumes that line's text.
// Otherwise it returns the most frequent of comma, semicolon, tab and bar, in this order of preference, outside quotes in the
// first line that has any. In a list, whose first line has none, it returns one that no line has.
func delimiterOf(text *bufio.Reader) (byte, error) {
	start, err := text.Peek(text.Size())
	if err != nil && !errors.Is(err, io.EOF) && len(start) == 0 {
		return 0, err
	}
	if named := separatorLine(start); named > 0 {
		_, err := text.Discard(len("sep=;"))
		return named, err
	}
	if errors.Is(err, io.EOF) {
		start = append(slices.Clip(start), '\n')
	}
	lines := countDelimiters(start)
	at := slices.IndexFunc(lines, func(line delimiterCounts) bool { return line.total() > 0 })
	if at < 0 {
		return delimiters[0], nil
	}
	most := 0
	for i, count := range lines[at].all {
		if count > lines[at].all[most] {
			most = i
		}
	}
	if at > 0 && isList(lines[1:], most) || at == 0 && isPunctuated(lines, most) {
		for i := len(delimiters) - 1; i >= 0; i-- {
			if !slices.ContainsFunc(lines, func(line delimiterCounts) bool { return line.all[i] > 0 }) {
				return delimiters[i], nil
			}
		}
	}
	return delimiters[most], nil
}

// separatorLine returns the delimiter that a first line sep=; names, 0 for other lines.
func separatorLine(start []byte) byte {
	line, _, _ := bytes.Cut(start, []byte{'\n'})
	line = trimReturn(line)
	if len(line) == len("sep=;") && bytes.EqualFold(line[:4], []byte("sep=")) && strings.IndexByte(delimiters, line[4]) >= 0 {
		return line[4]
	}
	return 0
}

// ReadError returns the [Error] of a failure to read a file.
func ReadError(file string, err error) *Error {
	return &Error{File: file, Problem: ReadProblem(err), Cause: err}
}

// ReadProblem returns the problem of a failure to read a file, compressed or not.
func ReadProblem(err error) Problem {
	system, isSystem := errors.AsType[*fs.PathError](err)
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case isSystem:
		return Problemf("", "%v", system.Err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Problemf("cut-off", "the compressed data end too early")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), corrupt:
		return Problemf("corrupt", "the compressed data are damaged")
	default:
		return Problemf("", "%v", err)
	}
}

// CheckPacked decompresses a file and returns an [Error] if that yields more than limit bytes, or
// another gzip file. A small file can decompress to any size, so untrusted files are checked before
// they are read. Other problems are left to the reader of the file.
func CheckPacked(source io.Reader, file string, limit int64) error {
	text, packed, err := unpacked(source)
	if err != nil || !packed {
		return nil //nolint:nilerr // as said above
	}
	if start, _ := text.Peek(len(GzipMagic)); string(start) == GzipMagic {
		return &Error{File: file, Problem: Problemf("packed-twice", "the file is compressed twice")}
	}
	size, _ := io.Copy(io.Discard, io.LimitReader(text, limit+1)) // as said above
	if problem := (Limits{Bytes: limit}).BytesProblem(size); problem.Exists() {
		return &Error{File: file, Problem: problem}
	}
	return nil
}

// delimiters are the characters that may separate fields.
const delimiters = ",;\t|"

// delimiterCounts has the number of each delimiter in a line, outside quotes.
type delimiterCounts struct {
	all    [len(delimiters)]int
	spaced [len(delimiters)]int // those with a space behind them
}

func (c *delimiterCounts) total() (sum int) {
	for _, count := range c.all {
		sum += count
	}
	return sum
}

// countDelimiters counts the delimiters in every complete line that is not blank.
func countDelimiters(text []byte) (lines []delimiterCounts) {
	var line delimiterCounts
	quoted, blank := false, true
	for at, c := range text {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted {
			if !blank {
				lines = append(lines, line)
			}
			line, blank = delimiterCounts{}, true
			continue
		}
		blank = blank && (c == ' ' || c == '\r')
		if i := strings.IndexByte(delimiters, c); i >= 0 && !quoted {
			line.all[i]++
			if at+1 < len(text) && text[at+1] == ' ' {
				line.spaced[i]++
			}
		}
	}
	return lines
}

// isList reports whether the lines below one without delimiters are texts in which a delimiter is
// punctuation: their numbers of it differ, or a space follows all of them.
func isList(lines []delimiterCounts, delimiter int) bool {
	punctuation := true
	for _, line := range lines {
		if line.all[delimiter] != lines[0].all[delimiter] {
			return true
		}
		punctuation = punctuation && line.spaced[delimiter] == line.all[delimiter]
	}
	return punctuation
}

// isPunctuated reports whether lines are texts in which a delimiter is punctuation: a space follows all of them, and fewer
// than half of the lines have as many as the first one.
func isPunctuated(lines []delimiterCounts, delimiter int) bool {
	alike := 0
	for _, line := range lines {
		if line.spaced[delimiter] < line.all[delimiter] {
			return false
		}
		if line.all[delimiter] == lines[0].all[delimiter] {
			alike++
		}
	}
	return 2*alike < len(lines)
}

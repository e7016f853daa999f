package table

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// EachObject calls take for every value of a JSON text, one a line or in one list, with its line, until
// take or reading fails. Values of a list are JSON, lines may be anything. A value that exceeds
// Limits.RowBytes, or a list that is not JSON, returns an [Error].
func EachObject(text *bufio.Reader, file string, limits Limits, take func(value []byte, line int) error) error {
	start, _ := text.Peek(text.Size())
	if bytes.HasPrefix(bytes.TrimLeft(start, " \t\r\n"), []byte{'['}) {
		return eachElement(text, file, limits, take)
	}
	longest := cmp.Or(limits.RowBytes, maxRowBytes)
	scanner := bufio.NewScanner(text)
	scanner.Buffer(nil, longest)
	line := 0
	for scanner.Scan() {
		line++
		if value := bytes.TrimSpace(scanner.Bytes()); len(value) > 0 {
			if err := take(value, line); err != nil {
				return err
			}
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &Error{File: file, Line: line + 1, Problem: Limits{RowBytes: longest}.RowProblem(longest + 1), Cause: ErrLimit}
	case err != nil:
		return ReadError(file, err)
	}
	return nil
}

// eachElement does the same for the elements of a list.
func eachElement(text io.Reader, file string, limits Limits, take func(value []byte, line int) error) error {
	lines := &valueLimit{LineCounter: NewLineCounter(text), limits: limits, left: limits.RowBytes}
	decoder := json.NewDecoder(lines)
	malformed := func(err error) error {
		rest, _ := io.ReadAll(decoder.Buffered())
		value := bytes.TrimLeft(rest, ", \t\r\n")
		line := lines.LineAt(decoder.InputOffset() + int64(len(rest)-len(value)))
		_, isSyntax := errors.AsType[*json.SyntaxError](err)
		limit, isLimit := errors.AsType[Problem](err)
		switch {
		case isLimit:
			return &Error{File: file, Line: line, Problem: limit, Cause: ErrLimit}
		case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
			line = lines.LastLine()
		case !isSyntax:
			return &Error{File: file, Line: line, Problem: ReadProblem(err), Cause: err}
		}
		return &Error{File: file, Line: line, Problem: notJSON(err, value)}
	}
	if _, err := decoder.Token(); err != nil {
		return malformed(err)
	}
	for decoder.More() {
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return malformed(err)
		}
		if err := take(value, lines.LineAt(decoder.InputOffset()-int64(len(value)))); err != nil {
			return err
		}
		lines.left = limits.RowBytes
	}
	if _, err := decoder.Token(); err != nil {
		return malformed(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		line := lines.LineAt(decoder.InputOffset())
		return &Error{File: file, Line: line, Problem: Problemf("behind-list", "the file goes on behind the list")}
	}
	return nil
}

// A valueLimit is a reader of JSON that limits the length of each value, and counts lines.
type valueLimit struct {
	*LineCounter

	limits Limits
	left   int // bytes that may still be read of the current value
}

// Read returns a [Problem] once the current value exceeds the limit.
func (l *valueLimit) Read(p []byte) (int, error) {
	if l.limits.RowBytes == 0 {
		return l.LineCounter.Read(p)
	}
	if l.left == 0 {
		return 0, l.limits.RowProblem(l.limits.RowBytes + 1)
	}
	n, err := l.LineCounter.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// UnfinishedJSON is the code of the problem of an object or a list that is not closed.
const UnfinishedJSON = "json-ends"

// noJSONNumber matches numbers that Python writes and JSON does not have.
var noJSONNumber = regexp.MustCompile(`[:,\[]\s*(NaN|-?Infinity)\b`)

// notJSON returns the problem of a text that a decoder rejects.
func notJSON(err error, text []byte) Problem {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return Problemf(UnfinishedJSON, "the JSON ends too early")
	}
	if word := noJSONNumber.FindSubmatch(text); word != nil {
		return Problemf("json-number", "%s is not a number of JSON; leave the key out or write null", word[1])
	}
	return Problemf("no-json", "this is not JSON: %v", err)
}

// A Member of an object is a value with a name.
type Member struct {
	Name  string
	Value json.RawMessage
}

// MaxMembers is the maximum number of members of an object in a table.
const MaxMembers = 10_000

// Members returns the members of an object, or what is wrong with it. Of too many for a table, it
// returns one more than there may be.
func Members(object []byte) (members []Member, problem Problem) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil, notJSON(err, object)
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, notJSON(err, object)
		}
		m := Member{}
		m.Name, _ = key.(string)
		m.Name = strings.TrimSpace(m.Name)
		if err := decoder.Decode(&m.Value); err != nil {
			return nil, notJSON(err, object)
		}
		if members = append(members, m); len(members) > MaxMembers {
			return members, Problem{}
		}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, notJSON(err, object)
	}
	if rest := object[decoder.InputOffset():]; len(rest) > 0 {
		return nil, Problemf("behind-object", "the line goes on behind the object: %s", Excerpt(rest))
	}
	return members, Problem{}
}

// JSONText decodes a text, or returns what is wrong with it.
func JSONText(value []byte) (text string, problem Problem) {
	if err := json.Unmarshal(value, &text); err != nil {
		return "", notJSON(err, value)
	}
	return text, Problem{}
}

// Excerpt quotes the start of a text.
func Excerpt(text []byte) string {
	const most = 20
	runes := []rune(string(text[:min(len(text), (most+1)*utf8.UTFMax)]))
	if len(runes) > most {
		return fmt.Sprintf("%q…", string(runes[:most]))
	}
	return fmt.Sprintf("%q", string(runes))
}

// A LineCounter is a reader that knows the line of every byte after the last place passed to LineAt, of at
// most 2 GB.
type LineCounter struct {
	source io.Reader
	read   int64
	feeds  []uint32 // the last bits of the places of line feeds
	passed int      // how many line feeds come before
}

// NewLineCounter returns a counter of the lines of a source.
func NewLineCounter(source io.Reader) *LineCounter { return &LineCounter{source: source} }

func (l *LineCounter) Read(p []byte) (int, error) {
	n, err := l.source.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.feeds = append(l.feeds, uint32(l.read+int64(i)))
		}
	}
	l.read += int64(n)
	return n, err
}

// LineAt returns the line of a place. Places must not decrease from call to call.
func (l *LineCounter) LineAt(place int64) int {
	before := 0
	for before < len(l.feeds) && int32(l.feeds[before]-uint32(place)) < 0 {
		before++
	}
	l.feeds = slices.Delete(l.feeds, 0, before)
	l.passed += before
	return l.passed + 1
}

// LastLine returns the line of the last byte read.
func (l *LineCounter) LastLine() int { return l.LineAt(l.read) }

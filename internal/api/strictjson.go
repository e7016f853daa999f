package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// Limits of requests, which are never large or deeply nested.
const (
	maxDepth  = 20   // nested lists and objects
	maxValues = 1000 // values, including lists and objects
	maxCells  = 1e6  // values in a request with a table
)

// readJSON decodes JSON like package json, but rejects some input that package json accepts:
// duplicate and unusual names, texts that stores cannot store, numbers out of range, deep nesting
// and too many values. at is the location of the value.
func readJSON(text []byte, at string) (any, *huma.ErrorModel) {
	s := strictJSON{text: text, at: at}
	return s.read(), s.told
}

// read decodes the text.
func (s *strictJSON) read() any {
	s.decoder = json.NewDecoder(bytes.NewReader(s.text))
	s.decoder.UseNumber()
	value := s.value(s.at, 0)
	if _, err := s.decoder.Token(); s.told == nil && !errors.Is(err, io.EOF) {
		s.told = malformed(s.at, fmt.Sprintf("this is not JSON: there is more after the value, byte %d", s.decoder.InputOffset()))
	}
	return value
}

// A strictJSON decodes valid JSON, up to the first problem.
type strictJSON struct {
	text    []byte
	at      string // where the whole text is
	table   string // the location of a list of rows, if there is one: it may be long, and its fields have any name
	decoder *json.Decoder
	rows    []byte           // the text of the table
	values  int              // so far
	told    *huma.ErrorModel // the problem
}

// next returns the next token and its bytes, with the bytes before it.
func (s *strictJSON) next() (json.Token, []byte) {
	before := s.decoder.InputOffset()
	token, err := s.decoder.Token()
	if err != nil {
		s.told = s.notJSON(err)
	}
	return token, s.text[before:s.decoder.InputOffset()]
}

// notJSON says what is wrong with the grammar, and where.
func (s *strictJSON) notJSON(err error) *huma.ErrorModel {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	switch {
	case len(bytes.TrimSpace(s.text)) == 0:
		return malformed(s.at, "there must be JSON")
	case ok:
		return malformed(s.at, fmt.Sprintf("this is not JSON: %v, byte %d", syntax, syntax.Offset))
	}
	return malformed(s.at, "this is not JSON: it ends too early")
}

// more reports whether the list or object has another element and no problem occurred.
func (s *strictJSON) more() bool { return s.told == nil && s.decoder.More() }

// end skips the end of a list or an object.
func (s *strictJSON) end() {
	if s.told == nil {
		s.next()
	}
}

func (s *strictJSON) value(at string, depth int) any {
	token, raw := s.next()
	if s.told != nil {
		return nil
	}
	if s.values++; s.values > s.most() {
		s.told = invalid(at, fmt.Sprintf("at most %d values are allowed", s.most()))
		return nil
	}
	switch token := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			s.told = invalid(at, fmt.Sprintf("values must not be nested in more than %d lists and objects", maxDepth))
			return nil
		}
		if token == '[' {
			return s.list(at, depth+1)
		}
		return s.object(at, depth+1)
	case string:
		if !utf8.Valid(raw) || !isText(token) {
			s.told = invalid(at, notText)
		}
		return token
	case json.Number:
		number, err := token.Float64()
		switch {
		case err != nil:
			s.told = invalid(at, "the number is too large")
		case number == 0 && underflows(token):
			s.told = invalid(at, "the number is too small")
		}
		return number
	}
	return token
}

// most returns the maximum number of values.
func (s *strictJSON) most() int {
	if s.table != "" {
		return maxCells
	}
	return maxValues
}

// inTable reports whether a location is in a row of the table.
func (s *strictJSON) inTable(at string) bool {
	return s.table != "" && strings.HasPrefix(at, s.table+"[")
}

// underflows reports whether a number that was decoded as 0 is not 0, such as 1e-400.
func underflows(number json.Number) bool {
	mantissa := strings.FieldsFunc(string(number), func(r rune) bool { return r == 'e' || r == 'E' })[0]
	return strings.ContainsAny(mantissa, "123456789")
}

func (s *strictJSON) list(at string, depth int) []any {
	list := []any{}
	for s.more() {
		list = append(list, s.value(fmt.Sprintf("%s[%d]", at, len(list)), depth))
	}
	s.end()
	return list
}

// fieldName matches the names of all fields. None is long.
var fieldName = regexp.MustCompile(`^[a-z0-9_]{1,100}$`)

func (s *strictJSON) object(at string, depth int) map[string]any {
	object := map[string]any{}
	for s.more() {
		token, raw := s.next()
		name, _ := token.(string)
		_, twice := object[name]
		switch {
		case s.told != nil:
		case !fieldName.MatchString(name) && !s.inTable(at):
			s.told = unknownField(at, name)
		case !utf8.Valid(raw) || !isText(name):
			s.told = invalid(at, notText)
		case twice:
			s.told = invalid(at+"."+name, "the field must not be repeated")
		default:
			before := s.decoder.InputOffset()
			object[name] = s.value(at+"."+name, depth)
			if at+"."+name == s.table {
				s.rows = bytes.TrimLeft(s.text[before:s.decoder.InputOffset()], ": \t\r\n")
			}
		}
	}
	s.end()
	return object
}

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

// What is sent is never large, nor in more than a few lists and objects.
const (
	deepest    = 20   // lists and objects that a value may be in
	mostValues = 1000 // that there may be, lists and objects among them
)

// readJSON reads JSON as package json does into an any, in one pass, but refuses what that lets pass: names
// that are there twice or would be taken for others with small letters, texts that no store can keep, numbers
// that do not fit, values in values in values, and far too many of them. at is where the value is.
func readJSON(text []byte, at string) (any, *huma.ErrorModel) {
	s := strictJSON{text: text, at: at, decoder: json.NewDecoder(bytes.NewReader(text))}
	s.decoder.UseNumber()
	value := s.value(at, 0)
	if _, err := s.decoder.Token(); s.told == nil && !errors.Is(err, io.EOF) {
		s.told = malformed(at, fmt.Sprintf("this is not JSON: there is more after the value, byte %d", s.decoder.InputOffset()))
	}
	return value, s.told
}

// A strictJSON reads a text up to the first problem.
type strictJSON struct {
	text    []byte
	at      string // where the whole text is
	decoder *json.Decoder
	values  int              // so far
	told    *huma.ErrorModel // the problem
}

// next returns the next token, and the bytes from the one before to its end.
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

// more reports whether there is more of a list or an object, and nothing is wrong so far.
func (s *strictJSON) more() bool { return s.told == nil && s.decoder.More() }

// end goes past the end of a list or an object.
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
	if s.values++; s.values > mostValues {
		s.told = invalid(at, fmt.Sprintf("there are more than %d values", mostValues))
		return nil
	}
	switch token := token.(type) {
	case json.Delim:
		if depth == deepest {
			s.told = invalid(at, fmt.Sprintf("it is in more than %d lists and objects", deepest))
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

// underflows reports whether a number that is read as 0 is another one, such as 1e-400.
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

// fieldName is how all names of fields are written. None is long.
var fieldName = regexp.MustCompile(`^[a-z0-9_]{1,100}$`)

func (s *strictJSON) object(at string, depth int) map[string]any {
	object := map[string]any{}
	for s.more() {
		token, _ := s.next()
		name, _ := token.(string)
		_, twice := object[name]
		switch {
		case s.told != nil:
		case !fieldName.MatchString(name):
			s.told = unknownField(at, name)
		case twice:
			s.told = invalid(at+"."+name, "it is there twice")
		default:
			object[name] = s.value(at+"."+name, depth)
		}
	}
	s.end()
	return object
}

package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// readJSON reads JSON as package json does into an any, but refuses what that lets pass: names that are there
// twice or would be taken for others with small letters, texts that no store can keep, and numbers that do not
// fit. at is where the value is.
func readJSON(text []byte, at string) (any, *huma.ErrorModel) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		if len(bytes.TrimSpace(text)) == 0 {
			return nil, malformed(at, "there must be JSON")
		}
		return nil, malformed(at, "this is not JSON: "+wording(err))
	}
	s := strictJSON{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	s.decoder.UseNumber()
	value := s.value(at)
	return value, s.told
}

// wording says what is wrong with the grammar, and where.
func wording(err error) string {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("%v, byte %d", syntax, syntax.Offset)
	}
	return err.Error()
}

// A strictJSON reads a text that is known to be JSON.
type strictJSON struct {
	text    []byte
	decoder *json.Decoder
	told    *huma.ErrorModel // the first problem
}

// next returns the next token, and the bytes from the one before to its end.
func (s *strictJSON) next() (json.Token, []byte) {
	before := s.decoder.InputOffset()
	token, err := s.decoder.Token()
	if err != nil {
		panic("api: " + err.Error())
	}
	return token, s.text[before:s.decoder.InputOffset()]
}

// note keeps a problem, unless there is one.
func (s *strictJSON) note(told *huma.ErrorModel) {
	if s.told == nil {
		s.told = told
	}
}

func (s *strictJSON) value(at string) any {
	token, raw := s.next()
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			return s.list(at)
		}
		return s.object(at)
	case string:
		if !utf8.Valid(raw) || !isText(token) {
			s.note(invalid(at, notText))
		}
		return token
	case json.Number:
		number, err := token.Float64()
		if err != nil {
			s.note(invalid(at, "the number is too large"))
		}
		return number
	}
	return token
}

func (s *strictJSON) list(at string) []any {
	list := []any{}
	for s.decoder.More() {
		list = append(list, s.value(fmt.Sprintf("%s[%d]", at, len(list))))
	}
	s.next() // its end
	return list
}

// fieldName is how all names of fields are written.
var fieldName = regexp.MustCompile(`^[a-z0-9_]+$`)

func (s *strictJSON) object(at string) map[string]any {
	object := map[string]any{}
	for s.decoder.More() {
		token, _ := s.next()
		name, _ := token.(string)
		if !fieldName.MatchString(name) {
			s.note(unknownField(at, name))
		}
		if _, twice := object[name]; twice {
			s.note(invalid(at+"."+name, "it is there twice"))
		}
		object[name] = s.value(at + "." + name)
	}
	s.next() // its end
	return object
}

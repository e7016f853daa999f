package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study"
)

// Limits of JSON in requests, in addition to their size.
const (
	maxDepth  = 20   // nested lists and objects
	maxValues = 1000 // values, including lists and objects
	maxCells  = 1e6  // values of a request with rows
)

// formats returns the formats of requests and replies.
func formats() map[string]huma.Format {
	some, many := huma.DefaultJSONFormat, huma.DefaultJSONFormat
	some.Unmarshal, many.Unmarshal = strictly(maxValues), strictly(maxCells)
	return map[string]huma.Format{jsonType: some, "json": some, rowsType: many}
}

// caseSensitive makes names of fields case-sensitive in validation. Package json ignores case, so that a
// request could otherwise have a field twice, of which one is validated and the other one is used.
var caseSensitive = sync.OnceFunc(func() { huma.ValidateStrictCasing = true }) //nolint:gochecknoglobals // as in the library

// strictly returns json.Unmarshal for a number of values. It also rejects repeated fields, deep nesting, and texts
// that stores cannot store. The library calls it to validate a request, with an empty interface, and to bind it.
func strictly(most int) func(text []byte, v any) error {
	return func(text []byte, v any) error {
		if _, validating := v.(*any); validating {
			s := strictJSON{json.NewDecoder(bytes.NewReader(text)), most}
			s.UseNumber()
			switch err := s.check("", 0); {
			case !utf8.Valid(text):
				return errors.New(notText)
			case err != nil && json.Valid(text): // otherwise package json says what is wrong
				return err
			}
		}
		err := json.Unmarshal(text, v)
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its message has types of Go
			return fmt.Errorf("the %s does not fit %s", wrong.Value, wrong.Field)
		}
		return err
	}
}

// A strictJSON checks values, of which some are left.
type strictJSON struct {
	*json.Decoder

	left int
}

// check returns an error unless the next value, of a field, is valid in a number of lists and objects.
func (s *strictJSON) check(field string, depth int) error {
	token, err := s.Token()
	if err != nil {
		return err
	}
	if s.left--; s.left < 0 {
		return errors.New("the JSON has too many values")
	}
	if text, ok := token.(string); ok && !study.IsText(text) {
		return fmt.Errorf("field %q: %s", field, notText)
	}
	delimiter, nests := token.(json.Delim)
	switch {
	case !nests:
		return nil
	case depth == maxDepth:
		return fmt.Errorf("values must not be nested in more than %d lists and objects", maxDepth)
	}
	names := map[string]bool{}
	for s.More() {
		if delimiter == '{' {
			if field, err = s.name(names); err != nil {
				return err
			}
		}
		if err := s.check(field, depth+1); err != nil {
			return err
		}
	}
	_, err = s.Token()
	return err
}

// name returns the next name of an object. It must differ from the names before it.
func (s *strictJSON) name(before map[string]bool) (string, error) {
	token, err := s.Token()
	name, _ := token.(string)
	switch {
	case err != nil:
		return "", err
	case !study.IsText(name):
		return "", errors.New(notText)
	case before[name]:
		return "", fmt.Errorf("field %q must not be repeated", name)
	}
	before[name] = true
	return name, nil
}

// Four operations accept a form with a file, or JSON with a list in its place. The elements of the list are read like
// the rows of the file. For the library these are two operations: requests with JSON go to a path of their own.
const (
	rowsType     = "application/rows" // replaces the content type of the JSON
	rowsPath     = "/rows"            // is added to the path of the form
	maxRowsBytes = 8 << 20            // of the JSON, which is kept in memory
)

// registerWithRows registers an operation with a form, and the same with rows.
func registerWithRows[F, R, O any](
	a *api, o huma.Operation, byForm func(context.Context, *F) (*O, error), byRows func(context.Context, *R) (*O, error),
) {
	o.RequestBody = &huma.RequestBody{}
	register(a, upload(o), byForm)
	a.withRows[o.Method+" "+Prefix+o.Path] = true
	rows := o
	rows.RequestBody, rows.Hidden = &huma.RequestBody{}, true
	rows.Path, rows.MaxBodyBytes = o.Path+rowsPath, min(a.MaxUpload, maxRowsBytes)
	register(a, upload(rows), byRows)
	o.RequestBody.Content[jsonType] = rows.RequestBody.Content[jsonType]
}

// routeRows returns the request for the operation with rows, if the request is JSON for an operation with a form. Clients
// cannot name the format of rows themselves: it has other limits.
func (a *api) routeRows(r *http.Request, pattern string) *http.Request {
	if strings.Contains(strings.ToLower(r.Header.Get("Content-Type")), rowsType) {
		r.Header.Set("Content-Type", "application/octet-stream")
	}
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if !a.withRows[pattern] || media != jsonType && !strings.HasSuffix(media, "+json") {
		return r
	}
	rows := r.Clone(r.Context())
	rows.URL = r.URL.JoinPath(rowsPath)
	rows.Header.Set("Content-Type", rowsType)
	return rows
}

// rowsFile returns rows as a file of JSON Lines, so that problems with a row name its number as the line.
func rowsFile[T any](name string, rows []T) huma.FormFile {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, row := range rows {
		must(encoder.Encode(row))
	}
	contents := bytes.NewReader(lines.Bytes())
	return huma.FormFile{File: rowsReader{contents}, IsSet: true, Size: contents.Size(), Filename: name}
}

// A rowsReader is a file in memory.
type rowsReader struct{ *bytes.Reader }

func (rowsReader) Close() error { return nil }

// must panics on errors that cannot occur: writes to memory, and JSON that was read before.
func must(err error) {
	if err != nil {
		panic("api: " + err.Error())
	}
}

package api

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// Four operations accept a form with a file, or JSON with a list in its place. The list has the same
// rows as the file. A request in JSON is rewritten as the form, so that both are read by the same code.

// maxJSONForm is the maximum size of such a request in JSON, which is kept in memory.
const maxJSONForm = 8 << 20

// jsonLists has the field of the list, and the field and name of the file in the form, by operation.
var jsonLists = map[string]struct{ list, file, name string }{ //nolint:gochecknoglobals // a constant
	"create-study":   {"arms", catalogueField, "arms.jsonl"},
	"import-answers": {"answers", answersField, "answers.jsonl"},
	"set-contexts":   {"texts", textsField, "texts.jsonl"},
	"set-prior":      {"answers", answersField, "answers.jsonl"},
}

// acceptJSON adds a body in JSON to a registered operation with a form.
func (a *api) acceptJSON(method, path string, body reflect.Type) {
	spec := a.huma.OpenAPI()
	operation := map[string]*huma.Operation{http.MethodPost: spec.Paths[path].Post, http.MethodPut: spec.Paths[path].Put}[method]
	operation.RequestBody.Content[jsonType] = &huma.MediaType{Schema: spec.Components.Schemas.Schema(body, true, "")}
}

// listKey is the context key of the list's field in a request in JSON.
type listKey struct{}

// asForm rewrites a request in JSON as the form of the operation.
func (a *api) asForm(ctx huma.Context, r *http.Request) (huma.Context, *huma.ErrorModel) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return ctx, unreadable(err)
	}
	form := jsonLists[ctx.Operation().OperationID]
	s := strictJSON{text: text, at: "body", table: "body." + form.list}
	value := s.read()
	if s.told != nil {
		return ctx, s.told
	}
	if told := a.validate(ctx.Operation(), value); told != nil {
		return ctx, told
	}
	fields, _ := value.(map[string]any) // the schema requires an object
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if name != form.list {
			must(w.WriteField(name, fieldText(value)))
		}
	}
	file, err := w.CreateFormFile(form.file, form.name)
	must(err)
	must(writeRows(file, s.rows))
	must(w.Close())
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Body, r.ContentLength = io.NopCloser(&body), int64(body.Len())
	return huma.WithValue(ctx, listKey{}, form.list), nil
}

// fieldText returns the value of a form field: texts and numbers as they are, and others in JSON.
func fieldText(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	text, err := json.Marshal(value)
	must(err)
	return string(text)
}

// writeRows writes the elements of a JSON list one per line, so that problems with a row name its
// number as the line.
func writeRows(to io.Writer, list []byte) error {
	var rows []json.RawMessage
	if err := json.Unmarshal(list, &rows); err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, row := range rows {
		if err := json.Compact(&lines, row); err != nil {
			return err
		}
		lines.WriteByte('\n')
	}
	_, err := lines.WriteTo(to)
	return err
}

// must panics on errors that cannot occur: writes to memory, and JSON that was read before.
func must(err error) {
	if err != nil {
		panic("api: " + err.Error())
	}
}

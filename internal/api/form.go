package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// formMemory is the maximum size of form files in memory. Larger ones go to the temporary
// directory.
const formMemory = 8 << 20

// readForm reads a form. It rejects unknown fields, file fields without a file, and texts that
// stores cannot store. It normalises fields in JSON.
func readForm(r *http.Request, form *huma.MediaType) *huma.ErrorModel {
	if err := r.ParseMultipartForm(formMemory); err != nil {
		return unreadable(err)
	}
	for _, name := range form.Schema.Required {
		if isFile(form.Schema.Properties[name]) && r.MultipartForm.File[name] == nil {
			return invalid("body."+name, "a file with a name is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.MultipartForm.File)) {
		if told := checkFile(r, form, name); told != nil {
			return told
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.MultipartForm.Value)) {
		if told := checkField(r, form, name); told != nil {
			return told
		}
	}
	return nil
}

// maxFilename is the maximum length of a file name, as in most file systems. Problems with a
// file contain its name.
const maxFilename = 255

// isFile reports whether a field of a form is a file.
func isFile(field *huma.Schema) bool { return field.Format == "binary" }

func checkFile(r *http.Request, form *huma.MediaType, name string) *huma.ErrorModel {
	field, files := form.Schema.Properties[name], r.MultipartForm.File[name]
	switch {
	case field == nil:
		return unknownField("body", name)
	case !isFile(field):
		return invalid("body."+name, "a plain field is required, got a file")
	case len(files) > 1:
		return invalid("body."+name, "the field must not be repeated")
	case !isText(files[0].Filename):
		return invalid("body."+name, "the file name: "+notText)
	case len(files[0].Filename) > maxFilename:
		return invalid(
			"body."+name, fmt.Sprintf("the file name must have at most %d bytes, got %d", maxFilename, len(files[0].Filename)),
		)
	}
	return nil
}

func checkField(r *http.Request, form *huma.MediaType, name string) *huma.ErrorModel {
	field, values := form.Schema.Properties[name], r.MultipartForm.Value[name]
	switch {
	case field == nil:
		return unknownField("body", name)
	case isFile(field):
		return invalid("body."+name, "a file with a name is required")
	case len(values) > 1:
		return invalid("body."+name, "the field must not be repeated")
	case !isText(values[0]):
		return invalid("body."+name, notText)
	case form.Encoding[name].ContentType != jsonType || values[0] == "":
		return nil
	}
	value, told := readJSON([]byte(values[0]), "body."+name)
	if told != nil {
		told.Status, told.Title = http.StatusUnprocessableEntity, http.StatusText(http.StatusUnprocessableEntity)
		return told
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic("api: " + err.Error())
	}
	values[0] = string(text)
	return nil
}

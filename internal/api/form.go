package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// formMemory is how much of the files of a form is kept in memory. What is beyond that goes to the temporary
// folder.
const formMemory = 8 << 20

// readForm reads a form and refuses fields that it does not have, files that are no files, and texts that no
// store can keep. Fields that are JSON are written again in the plainest way.
func readForm(r *http.Request, form *huma.MediaType) *huma.ErrorModel {
	if err := r.ParseMultipartForm(formMemory); err != nil {
		return unreadable(err)
	}
	for _, name := range form.Schema.Required {
		if isFile(form.Schema.Properties[name]) && r.MultipartForm.File[name] == nil {
			return invalid("body."+name, "there must be a file, with a name")
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

// longestFilename is how long the name of a file may be, as with most file systems. Every problem in the file
// has it.
const longestFilename = 255

// isFile reports whether a field of a form is a file.
func isFile(field *huma.Schema) bool { return field.Format == "binary" }

func checkFile(r *http.Request, form *huma.MediaType, name string) *huma.ErrorModel {
	field, files := form.Schema.Properties[name], r.MultipartForm.File[name]
	switch {
	case field == nil:
		return unknownField("body", name)
	case !isFile(field):
		return invalid("body."+name, "this must be a field, not a file")
	case len(files) > 1:
		return invalid("body."+name, "it is there twice")
	case !isText(files[0].Filename):
		return invalid("body."+name, "the name of the file: "+notText)
	case len(files[0].Filename) > longestFilename:
		return invalid("body."+name, fmt.Sprintf("the name of the file has more than %d bytes", longestFilename))
	}
	return nil
}

func checkField(r *http.Request, form *huma.MediaType, name string) *huma.ErrorModel {
	field, values := form.Schema.Properties[name], r.MultipartForm.Value[name]
	switch {
	case field == nil:
		return unknownField("body", name)
	case isFile(field):
		return invalid("body."+name, "there must be a file, with a name")
	case len(values) > 1:
		return invalid("body."+name, "it is there twice")
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

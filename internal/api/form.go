package api

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bestpick/internal/study"
	"bestpick/wire"
)

const (
	// formMemory is the maximum size of form files in memory. Larger ones go to the temporary directory.
	formMemory = 8 << 20

	// maxFilename is the maximum length of a file name, as in most file systems. Problems with a file contain its name.
	maxFilename = 255
)

// readBody is middleware that parses forms within the limits of the API, which the library does not, and removes their
// temporary files. Other bodies are read by the library.
func (a *api) readBody(ctx huma.Context, next func(huma.Context)) {
	operation := ctx.Operation()
	r, w := humago.Unwrap(ctx)
	if operation.RequestBody == nil || operation.RequestBody.Content[formType] == nil {
		r.Body = partialBody{r.Body}
		next(ctx)
		return
	}
	_ = ctx.SetReadDeadline(time.Now().Add(operation.BodyReadTimeout)) // fails only without a connection
	r.Body = http.MaxBytesReader(w, r.Body, a.MaxUpload)
	err := r.ParseMultipartForm(formMemory)
	if r.MultipartForm != nil {
		defer func() { _ = r.MultipartForm.RemoveAll() }() // leftover temporary files are harmless
	}
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body) // until then, the server does not notice that the client has gone
	}
	if err != nil {
		a.refuse(ctx, unreadable(err, operation))
		return
	}
	if details := checkForm(r.MultipartForm, operation.RequestBody.Content[formType].Schema); details != nil {
		a.refuse(ctx, problem(http.StatusUnprocessableEntity, wire.Invalid, "validation failed", details...))
		return
	}
	next(ctx)
}

// A partialBody ends where a request body breaks off. The library would reply as to a failure of the server; this way
// the JSON is not complete.
type partialBody struct{ io.ReadCloser }

func (b partialBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// Close does nothing: it could read all the rest. The server closes the body.
func (partialBody) Close() error { return nil }

// unreadable returns the problem of a form that cannot be read.
func unreadable(err error, operation *huma.Operation) *huma.ErrorModel {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge || errors.Is(err, multipart.ErrMessageTooLarge):
		return problem(http.StatusRequestEntityTooLarge, wire.TooLarge, "the request body is too large")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problem(http.StatusRequestTimeout, "", "the request body took too long to arrive")
	case errors.Is(err, http.ErrNotMultipart) && operation.RequestBody.Content[jsonType] != nil:
		return problem(http.StatusUnsupportedMediaType, "", "the content type must be "+formType+" or "+jsonType)
	case errors.Is(err, http.ErrNotMultipart):
		return problem(http.StatusUnsupportedMediaType, "", "the content type must be "+formType)
	}
	const message = "the form cannot be read: it is not complete, or not what its content type says"
	return problem(http.StatusBadRequest, wire.Invalid, message, &huma.ErrorDetail{Location: "body", Message: message})
}

// checkForm returns what the library does not check: unknown fields, fields without their file, and texts that stores
// cannot store.
func checkForm(form *multipart.Form, schema *huma.Schema) (details []*huma.ErrorDetail) {
	wrong := func(field, message string) {
		details = append(details, &huma.ErrorDetail{Location: "body." + field, Message: message})
	}
	isFile := func(name string) bool {
		field := schema.Properties[name]
		return field != nil && field.Format == "binary"
	}
	for _, name := range schema.Required {
		if isFile(name) && form.File[name] == nil {
			wrong(name, "a file with a name is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(form.File)) {
		switch file := form.File[name]; {
		case !isFile(name):
			wrong(name, "unexpected file")
		case len(file) > 1:
			wrong(name, "the file must not be repeated")
		case !study.IsText(file[0].Filename):
			wrong(name, "the file name: "+notText)
		case len(file[0].Filename) > maxFilename:
			wrong(name, fmt.Sprintf("the file name must have at most %d bytes, got %d", maxFilename, len(file[0].Filename)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(form.Value)) {
		switch {
		case schema.Properties[name] == nil:
			wrong(name, "unexpected property")
		case isFile(name):
			wrong(name, "a file with a name is required")
		case !study.IsText(form.Value[name][0]):
			wrong(name, notText)
		}
	}
	return details
}

package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bestpick/internal/middleware"
	"bestpick/wire"
)

// readBody validates the request body more strictly than the library, and with clearer errors. It
// replaces the body with normalised JSON or a parsed form, which the library then reads. If the
// operation skips the validation of the library, the context has the decoded body instead.
func (a *api) readBody(ctx huma.Context, next func(huma.Context)) {
	operation := ctx.Operation()
	if operation.RequestBody == nil {
		next(ctx)
		return
	}
	r, w := humago.Unwrap(ctx)
	timeout := middleware.ReadWithin(w, operation.BodyReadTimeout)
	var told *huma.ErrorModel
	if form := operation.RequestBody.Content[formType]; form != nil {
		if operation.RequestBody.Content[jsonType] != nil && isJSON(r.Header.Get("Content-Type")) {
			r.Body = http.MaxBytesReader(w, r.Body, min(a.MaxUpload, maxJSONForm))
			if ctx, told = a.asForm(ctx, r); told != nil {
				a.refuse(ctx, told)
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, a.MaxUpload)
		told = readForm(r, form)
		if told != nil && told.Status == http.StatusUnsupportedMediaType && operation.RequestBody.Content[jsonType] != nil {
			told.Detail = "the content type must be " + formType + " or " + jsonType
		}
		if told == nil {
			told = readRest(r)
		}
		defer func() {
			if r.MultipartForm != nil {
				_ = r.MultipartForm.RemoveAll() // leftover temporary files are harmless
			}
		}()
	} else {
		r.Body = http.MaxBytesReader(w, r.Body, operation.MaxBodyBytes)
		ctx, told = a.readJSONBody(ctx, r)
	}
	if told != nil {
		a.refuse(ctx, told)
		return
	}
	timeout()
	next(ctx)
}

// readRest discards the bytes after a form within the read deadline. Otherwise the server would
// read them without one.
func readRest(r *http.Request) *huma.ErrorModel {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return unreadable(err)
	}
	return nil
}

// readJSONBody validates a JSON body and normalises it, or returns a context with it.
func (a *api) readJSONBody(ctx huma.Context, r *http.Request) (huma.Context, *huma.ErrorModel) {
	if kind := r.Header.Get("Content-Type"); kind != "" && !isJSON(kind) {
		return ctx, problem(http.StatusUnsupportedMediaType, "", "the content type must be "+jsonType+" in UTF-8")
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return ctx, unreadable(err)
	}
	value, told := readJSON(text, "body")
	if told != nil {
		return ctx, told
	}
	operation := ctx.Operation()
	if operation.SkipValidateBody {
		r.Body = io.NopCloser(bytes.NewReader(text)) // the library only checks that it is not empty
		return huma.WithValue(ctx, decodedBody{}, value), a.validate(operation, value)
	}
	if text, err = json.Marshal(value); err != nil {
		panic("api: " + err.Error())
	}
	r.Header.Set("Content-Type", jsonType)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return ctx, nil
}

// isJSON reports whether a content type is JSON or has the suffix +json.
func isJSON(kind string) bool {
	media, parameters, err := mime.ParseMediaType(kind)
	if charset, is := parameters["charset"]; is && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return err == nil && (media == jsonType || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"))
}

// unreadable returns the problem for a body that cannot be read.
func unreadable(err error) *huma.ErrorModel {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge || errors.Is(err, multipart.ErrMessageTooLarge):
		return problem(http.StatusRequestEntityTooLarge, wire.TooLarge, "the request body is too large")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problem(http.StatusRequestTimeout, "", "the request body took too long to arrive")
	case errors.Is(err, http.ErrNotMultipart):
		return problem(http.StatusUnsupportedMediaType, "", "the content type must be "+formType)
	case errors.Is(err, http.ErrMissingBoundary):
		return malformed("body", "the form cannot be read: its content type has no boundary")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return malformed("body", "the request body ends too early")
	}
	return malformed("body", "the request body cannot be read")
}

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
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bestpick/wire"
)

// readBody reads what was sent before the library does, which is less strict and tells less well what is
// wrong. It then gets what it would have read, in plain JSON or as a form.
func (a *api) readBody(ctx huma.Context, next func(huma.Context)) {
	operation := ctx.Operation()
	if operation.RequestBody == nil {
		next(ctx)
		return
	}
	r, w := humago.Unwrap(ctx)
	_ = ctx.SetReadDeadline(time.Now().Add(operation.BodyReadTimeout)) // where there is none, the server's goes
	var told *huma.ErrorModel
	if form := operation.RequestBody.Content[formType]; form != nil {
		r.Body = http.MaxBytesReader(w, r.Body, a.MaxUpload)
		told = readForm(r, form)
		if told == nil {
			told = readRest(r)
		}
		defer func() {
			if r.MultipartForm != nil {
				_ = r.MultipartForm.RemoveAll() // a leftover in the temporary folder does no harm
			}
		}()
	} else {
		r.Body = http.MaxBytesReader(w, r.Body, operation.MaxBodyBytes)
		told = readJSONBody(r)
	}
	if told != nil {
		a.refuse(ctx, told)
		return
	}
	_ = ctx.SetReadDeadline(time.Time{}) // as above
	next(ctx)
}

// readRest reads what follows a form, which means nothing, as long as there is time. Otherwise the server would, when
// there is no limit any more.
func readRest(r *http.Request) *huma.ErrorModel {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return unreadable(err)
	}
	return nil
}

// readJSONBody checks a body that is JSON, and writes it again in the plainest way.
func readJSONBody(r *http.Request) *huma.ErrorModel {
	if kind := r.Header.Get("Content-Type"); kind != "" && !isJSON(kind) {
		return problem(http.StatusUnsupportedMediaType, "", "this takes "+jsonType+" in UTF-8")
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return unreadable(err)
	}
	value, told := readJSON(text, "body")
	if told != nil {
		return told
	}
	if text, err = json.Marshal(value); err != nil {
		panic("api: " + err.Error())
	}
	r.Header.Set("Content-Type", jsonType)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	return nil
}

// isJSON reports whether a type is JSON, or something special in JSON.
func isJSON(kind string) bool {
	media, parameters, err := mime.ParseMediaType(kind)
	if charset, is := parameters["charset"]; is && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return err == nil && (media == jsonType || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"))
}

// unreadable is the problem of a body that did not come as it should.
func unreadable(err error) *huma.ErrorModel {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge || errors.Is(err, multipart.ErrMessageTooLarge):
		return problem(http.StatusRequestEntityTooLarge, wire.TooLarge, "what was sent is too large")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problem(http.StatusRequestTimeout, "", "what was sent took too long to come")
	case errors.Is(err, http.ErrNotMultipart):
		return problem(http.StatusUnsupportedMediaType, "", "this takes "+formType)
	case errors.Is(err, http.ErrMissingBoundary):
		return malformed("body", "the form cannot be read: its type says no boundary")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return malformed("body", "what was sent ends too early")
	}
	return malformed("body", "what was sent cannot be read")
}

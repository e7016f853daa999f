package page

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/middleware"
)

// Limits of forms.
const (
	maxForm      = 64 << 10 // bytes
	formTime     = 10 * time.Second
	uploadMemory = 8 << 20 // bytes of files in memory; others go to the temporary directory
	uploadTime   = 10 * time.Minute
)

// Yes is the value of a field that is set, as in JSON.
const Yes = "true"

// ErrUnreadable says that a form cannot be read.
var ErrUnreadable = errors.New("the form cannot be read")

// ParseForm reads a form, or returns ErrUnreadable.
func ParseForm(w http.ResponseWriter, r *http.Request) error {
	if parse(w, r, maxForm, formTime, r.ParseForm) != nil {
		return ErrUnreadable
	}
	return nil
}

// ParseUpload reads a form with files of at most a number of bytes. done removes the temporary files.
func ParseUpload(w http.ResponseWriter, r *http.Request, most int64) (done func(), err error) {
	err = parse(w, r, most, uploadTime, func() error { return r.ParseMultipartForm(uploadMemory) }) //nolint:gosec // parse limits it
	return func() {
		if r.MultipartForm != nil {
			_ = r.MultipartForm.RemoveAll() // leftover temporary files are harmless
		}
	}, err
}

// parse reads a form within limits of its size and time.
func parse(w http.ResponseWriter, r *http.Request, most int64, within time.Duration, read func() error) error {
	r.Body = http.MaxBytesReader(w, r.Body, most)
	middleware.ReadWithin(w, within)
	if err := read(); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, r.Body) // until then, the server does not notice that the client has gone
	return err
}

// File returns the file of a field, or nil if none was chosen.
func File(r *http.Request, field string) *multipart.FileHeader {
	if r.MultipartForm == nil || len(r.MultipartForm.File[field]) == 0 || r.MultipartForm.File[field][0].Filename == "" {
		return nil
	}
	return r.MultipartForm.File[field][0]
}

// Typed returns the text of a field as it was typed, without spaces around it and with plain line ends.
func Typed(r *http.Request, field string) string {
	return strings.TrimSpace(strings.ReplaceAll(r.PostFormValue(field), "\r\n", "\n"))
}

// Version returns the version of a study that a form was shown for. ok is false if it is missing.
func Version(r *http.Request) (version int, ok bool) {
	version, err := strconv.Atoi(r.PostFormValue("version"))
	return version, err == nil && version >= 1
}

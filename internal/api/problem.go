package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/catalogue"
	"bestpick/internal/problems"
	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/wire"
)

// problem returns a problem as defined in RFC 9457.
func problem(status int, kind, detail string, details ...*huma.ErrorDetail) *huma.ErrorModel {
	return &huma.ErrorModel{Type: kind, Title: http.StatusText(status), Status: status, Detail: detail, Errors: details}
}

// invalid returns the problem for an invalid value at a location of the request.
func invalid(location, message string) *huma.ErrorModel {
	return problem(http.StatusUnprocessableEntity, wire.Invalid, message, &huma.ErrorDetail{Location: location, Message: message})
}

// problem returns the reply to an error. It logs unexpected errors, whose cause the client does not see. A
// 503 problem asks the client to retry after a second.
func (a *api) problem(err error) error {
	e := study.Coded(err)
	if e.Code == study.CodeInternal {
		a.Log.Error("a request failed", "error", err)
	}
	told := coded(e)
	if several, ok := errors.AsType[study.FieldErrors](err); ok {
		told.Errors = nil
		for _, one := range several {
			told.Errors = append(told.Errors, &huma.ErrorDetail{Location: "body." + one.Field, Message: one.Message})
		}
	}
	switch told.Status {
	case http.StatusServiceUnavailable:
		return huma.ErrorWithHeaders(told, http.Header{"Retry-After": {"1"}})
	case http.StatusTooManyRequests:
		return huma.ErrorWithHeaders(told, http.Header{"Retry-After": {retryAfter(e.Wait)}})
	}
	return told
}

// coded returns the problem of a coded error.
func coded(e *study.Error) *huma.ErrorModel {
	known := problems.Of(e.Code)
	told := problem(known.Status, known.Type, e.Message)
	if e.Field != "" {
		told.Errors = []*huma.ErrorDetail{{Location: "body." + e.Field, Message: e.Message}}
	}
	return told
}

// problemOf returns the error of an operation with a single field: validation errors name that field.
func problemOf(field string, err error) error {
	if errors.Is(err, study.ErrInvalid) {
		return invalid("body."+field, study.Coded(err).Message)
	}
	return err
}

// tell writes a problem before routing.
func tell(w http.ResponseWriter, told *huma.ErrorModel) {
	text, err := json.Marshal(wire.Problem{Type: told.Type, Title: told.Title, Status: told.Status, Detail: told.Detail})
	if err != nil {
		panic("api: " + err.Error())
	}
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(told.Status)
	_, _ = w.Write(text) // the client is gone
}

// refuse writes a problem instead of a reply.
func (a *api) refuse(ctx huma.Context, err error) {
	told, ok := errors.AsType[*huma.ErrorModel](err)
	if !ok {
		panic("api: refuse needs a problem")
	}
	if more, ok := errors.AsType[huma.HeadersError](err); ok {
		for name, values := range more.GetHeaders() {
			ctx.SetHeader(name, strings.Join(values, ", "))
		}
	}
	tidy(told)
	ctx.SetHeader("Content-Type", problemType)
	ctx.SetStatus(told.Status)
	_ = a.huma.Marshal(ctx.BodyWriter(), jsonType, told) // the client is gone
}

// tidied gives problems of the library the form of ours.
func tidied(_ huma.Context, _ string, body any) (any, error) {
	if told, ok := body.(*huma.ErrorModel); ok {
		tidy(told)
	}
	return body, nil
}

// Limits of problems, whatever the size of the request.
const (
	maxDetails  = 20
	maxDetail   = 4000
	maxMessage  = 1000
	maxLocation = 500
)

// tidy removes values of the request from a problem, since they may be tokens, and shortens the problem.
func tidy(told *huma.ErrorModel) {
	told.Detail = brief(told.Detail, maxDetail)
	if more := len(told.Errors) - maxDetails; more > 0 {
		told.Errors = append(told.Errors[:maxDetails:maxDetails], &huma.ErrorDetail{Message: fmt.Sprintf("and %d more", more)})
	}
	for _, detail := range told.Errors {
		detail.Value = nil
		if field, is := strings.CutPrefix(detail.Location, "form."); is {
			detail.Location = "body." + field
		}
		detail.Location, detail.Message = brief(detail.Location, maxLocation), brief(detail.Message, maxMessage)
	}
	switch {
	case told.Type != "":
	case told.Status == http.StatusBadRequest || told.Status == http.StatusUnprocessableEntity:
		told.Type = wire.Invalid
	case told.Status == http.StatusRequestEntityTooLarge:
		told.Type = wire.TooLarge
	}
}

// brief shortens a text to most bytes. It omits the middle, because the location is at the start and the reason at the end.
func brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	half := most / 2
	return strings.ToValidUTF8(text[:half], "") + "…" + strings.ToValidUTF8(text[len(text)-half:], "")
}

// TooMany writes the problem for a client that exceeds the rate limit, before routing.
func TooMany(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", retryAfter(wait))
	tell(w, problem(http.StatusTooManyRequests, wire.TooMany, "too many requests from this address; try again later"))
}

func retryAfter(wait time.Duration) string { return strconv.Itoa(int(math.Ceil(wait.Seconds()))) }

// CrossOrigin writes the problem for a cross-origin request that was rejected before routing.
func CrossOrigin(w http.ResponseWriter) {
	tell(w, problem(http.StatusForbidden, wire.CrossOrigin, "cross-origin requests must not change anything"))
}

// A fileError is about an uploaded file.
type fileError struct {
	error

	kinds bool // the request may say how columns are read
}

// Unwrap returns the error of the file.
func (e *fileError) Unwrap() error { return e.error }

// inFile marks an error, unless it is nil, as one about an uploaded file.
func inFile(err error) error {
	if err == nil {
		return nil
	}
	return &fileError{error: err}
}

// uploadProblem returns the error of an upload. An error of a file has one detail for each of its problems; locate
// returns the field of a file.
func uploadProblem(err error, locate func(file string) string) error {
	file, isFile := errors.AsType[*fileError](err)
	if _, ours := errors.AsType[*fs.PathError](err); ours || !isFile { // or the temporary directory failed
		return err
	}
	list := []error{file.error}
	if several, ok := errors.AsType[*catalogue.Problems](err); ok {
		list = several.List
		if several.More > 0 {
			list = append(slices.Clip(list), fmt.Errorf("and %d more", several.More))
		}
	}
	var messages []string
	var details []*huma.ErrorDetail
	for _, one := range list {
		name, message := "", one.Error()
		if placed, ok := errors.AsType[*table.Error](one); ok {
			name, message = placed.File, messageOf(*placed, file.kinds)
		}
		messages = append(messages, message)
		details = append(details, &huma.ErrorDetail{Location: "body." + locate(name), Message: message})
	}
	return problem(http.StatusUnprocessableEntity, wire.Invalid, strings.Join(messages, "\n"), details...)
}

// messageOf returns the message about a place in a file. Where another kind of the column avoids the problem and the
// request may have one, it names that field instead of a flag of the command line.
func messageOf(e table.Error, kinds bool) string {
	if kinds && e.As != "" {
		e.Text += fmt.Sprintf(", or make the column %s in columns.kinds", e.As)
	}
	e.As = ""
	return e.Error()
}

// inField locates the problems of the only file of a form.
func inField(field string) func(file string) string { return func(string) string { return field } }

package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/problems"
	"bestpick/internal/study"
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

// malformed returns the problem for a part of the request that cannot be parsed.
func malformed(location, message string) *huma.ErrorModel {
	return problem(http.StatusBadRequest, wire.Invalid, message, &huma.ErrorDetail{Location: location, Message: message})
}

// unknownField returns the problem for an unknown field.
func unknownField(at, name string) *huma.ErrorModel {
	return invalid(fmt.Sprintf("%s.%.100s", at, name), fmt.Sprintf("unknown field %.100q", name))
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

// problemOf is problem for an operation with a single field: validation errors name that field.
func (a *api) problemOf(field string, err error) error {
	if errors.Is(err, study.ErrInvalid) {
		return invalid("body."+field, study.Coded(err).Message)
	}
	return a.problem(err)
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

package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/api/wire"
	"bestpick/catalogue"
	"bestpick/study"
	"bestpick/table"
)

// problem is what went wrong, as in RFC 9457.
func problem(status int, kind, detail string, details ...*huma.ErrorDetail) *huma.ErrorModel {
	return &huma.ErrorModel{Type: kind, Title: http.StatusText(status), Status: status, Detail: detail, Errors: details}
}

// invalid is the problem of something that was sent, with where it is.
func invalid(location, message string) *huma.ErrorModel {
	return problem(http.StatusUnprocessableEntity, wire.Invalid, message, &huma.ErrorDetail{Location: location, Message: message})
}

// problem turns an error into what the one who asked is told. What is nobody's business but ours is logged
// and told as a failure.
func (a *api) problem(err error) error {
	for _, known := range []struct {
		err    error
		status int
		kind   string
	}{
		{study.ErrNotFound, http.StatusNotFound, wire.NotFound},
		{study.ErrNotOpen, http.StatusConflict, wire.NotOpen},
		{study.ErrEnough, http.StatusConflict, wire.Enough},
		{study.ErrConflict, http.StatusConflict, wire.Conflict},
		{study.ErrReplaced, http.StatusConflict, wire.Replaced},
		{study.ErrTooLate, http.StatusConflict, wire.TooLate},
		{study.ErrNotAnswered, http.StatusConflict, wire.NotAnswered},
		{study.ErrTaken, http.StatusConflict, wire.Known},
		{study.ErrStarted, http.StatusConflict, wire.Started},
		{study.ErrChanged, http.StatusPreconditionFailed, wire.Changed},
	} {
		if errors.Is(err, known.err) {
			return problem(known.status, known.kind, plain(known.err))
		}
	}
	if errors.Is(err, study.ErrNone) {
		none := problem(http.StatusServiceUnavailable, wire.NoQuestion, plain(err))
		return huma.ErrorWithHeaders(none, http.Header{"Retry-After": {"1"}})
	}
	if errors.Is(err, study.ErrToken) {
		return problem(http.StatusUnprocessableEntity, wire.BadToken, plain(err), &huma.ErrorDetail{Location: "body.token", Message: plain(err)})
	}
	if field, ok := errors.AsType[*study.FieldError](err); ok {
		return invalid("body."+field.Field, field.Problem)
	}
	if state, ok := errors.AsType[*study.StateError](err); ok {
		return problem(http.StatusConflict, wire.WrongState, state.Error())
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return problem(http.StatusServiceUnavailable, wire.NoQuestion, "there was no time to finish")
	}
	a.Log.Error("a request failed", "error", err)
	return problem(http.StatusInternalServerError, "", "something went wrong here; what was acknowledged is safe")
}

// inFile is the problem of a file that somebody sent: one detail for each thing that is wrong.
func (a *api) inFile(location string, err error) error {
	if several, ok := errors.AsType[*catalogue.Problems](err); ok {
		all := invalid(location, several.Error())
		all.Errors = nil
		for _, one := range several.List {
			all.Errors = append(all.Errors, &huma.ErrorDetail{Location: location, Message: one.Error()})
		}
		return all
	}
	if one, ok := errors.AsType[*table.Error](err); ok {
		return invalid(location, one.Error())
	}
	return a.problem(err)
}

// plain is an error without the name of its package.
func plain(err error) string {
	_, text, found := strings.Cut(err.Error(), ": ")
	if !found {
		return err.Error()
	}
	return text
}

// withoutValues keeps what was sent out of problems: there may be a token in it.
func withoutValues(_ huma.Context, _ string, body any) (any, error) {
	if model, ok := body.(*huma.ErrorModel); ok {
		for _, detail := range model.Errors {
			detail.Value = nil
		}
		if model.Type == "" && model.Status < http.StatusInternalServerError {
			model.Type = wire.Invalid
		}
	}
	return body, nil
}

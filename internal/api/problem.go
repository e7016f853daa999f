package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study"
	"bestpick/wire"
)

// problem is what went wrong, as in RFC 9457.
func problem(status int, kind, detail string, details ...*huma.ErrorDetail) *huma.ErrorModel {
	return &huma.ErrorModel{Type: kind, Title: http.StatusText(status), Status: status, Detail: detail, Errors: details}
}

// invalid is the problem of something that was sent, with where it is.
func invalid(location, message string) *huma.ErrorModel {
	return problem(http.StatusUnprocessableEntity, wire.Invalid, message, &huma.ErrorDetail{Location: location, Message: message})
}

// malformed is the problem of something that cannot even be read.
func malformed(location, message string) *huma.ErrorModel {
	return problem(http.StatusBadRequest, wire.Invalid, message, &huma.ErrorDetail{Location: location, Message: message})
}

// unknownField is the problem of a field that there is not.
func unknownField(at, name string) *huma.ErrorModel {
	return invalid(fmt.Sprintf("%s.%.100s", at, name), fmt.Sprintf("there is no field %.100q", name))
}

// failure is a problem that is nobody's fault but ours.
func failure() *huma.ErrorModel {
	return problem(http.StatusInternalServerError, "", "something went wrong here; what was acknowledged is safe")
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
		{study.ErrPanel, http.StatusForbidden, wire.NotMember},
		{study.ErrKey, http.StatusForbidden, wire.NotMember},
		{study.ErrEnough, http.StatusConflict, wire.Enough},
		{study.ErrConflict, http.StatusConflict, wire.Conflict},
		{study.ErrReplaced, http.StatusConflict, wire.Replaced},
		{study.ErrTooLate, http.StatusConflict, wire.TooLate},
		{study.ErrNotAnswered, http.StatusConflict, wire.NotAnswered},
		{study.ErrStarted, http.StatusConflict, wire.Started},
		{study.ErrChanged, http.StatusPreconditionFailed, wire.Changed},
	} {
		if errors.Is(err, known.err) {
			return problem(known.status, known.kind, plain(known.err))
		}
	}
	if field, ok := errors.AsType[*study.FieldError](err); ok {
		return invalid("body."+field.Field, field.Problem)
	}
	if closed, ok := errors.AsType[*study.NotOpenError](err); ok {
		return problem(http.StatusConflict, notOpenType(closed), closed.Error())
	}
	state, wrong := errors.AsType[*study.StateError](err)
	switch {
	case wrong:
		return problem(http.StatusConflict, wire.WrongState, state.Error())
	case errors.Is(err, study.ErrNone):
		return soon(wire.NoQuestion, plain(study.ErrNone))
	case errors.Is(err, study.ErrBusy):
		return soon(wire.Busy, plain(study.ErrBusy))
	case errors.Is(err, study.ErrToken):
		told := invalid("body.token", plain(study.ErrToken))
		told.Type = wire.BadToken
		return told
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return soon(wire.Timeout, "there was no time to finish")
	case a.studies.Store.Unavailable(err):
		return soon(wire.Unavailable, "the database cannot be used at the moment; what was acknowledged is safe")
	}
	a.Log.Error("a request failed", "error", err)
	return failure()
}

// problemOf is the problem of an operation whose one field is at fault, whatever the study calls that.
func (a *api) problemOf(field string, err error) error {
	if wrong, ok := errors.AsType[*study.FieldError](err); ok {
		return invalid("body."+field, wrong.Problem)
	}
	return a.problem(err)
}

// notOpenType returns the type of the problem that a study is not open.
func notOpenType(e *study.NotOpenError) string {
	switch {
	case e.State == study.Draft:
		return wire.StudyDraft
	case e.State == study.Paused:
		return wire.StudyPaused
	case e.Reason == study.Lapsed:
		return wire.StudyLapsed
	}
	return wire.StudyDone
}

// soon returns a 503 problem, which asks the client to retry after a second.
func soon(kind, detail string) error {
	return huma.ErrorWithHeaders(problem(http.StatusServiceUnavailable, kind, detail), http.Header{"Retry-After": {"1"}})
}

// plain is an error without the name of its package.
func plain(err error) string {
	_, text, found := strings.Cut(err.Error(), ": ")
	if !found {
		return err.Error()
	}
	return text
}

// tell writes a problem where no operation is chosen yet.
func tell(w http.ResponseWriter, told *huma.ErrorModel) {
	text, err := json.Marshal(wire.Problem{Type: told.Type, Title: told.Title, Status: told.Status, Detail: told.Detail})
	if err != nil {
		panic("api: " + err.Error())
	}
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(told.Status)
	_, _ = w.Write(text) // whoever asked has gone
}

// refuse writes a problem instead of a reply.
func (a *api) refuse(ctx huma.Context, err error) {
	told, ok := errors.AsType[*huma.ErrorModel](err)
	if !ok {
		panic("api: a problem that is none")
	}
	if more, ok := errors.AsType[huma.HeadersError](err); ok {
		for name, values := range more.GetHeaders() {
			ctx.SetHeader(name, strings.Join(values, ", "))
		}
	}
	tidy(told)
	ctx.SetHeader("Content-Type", problemType)
	ctx.SetStatus(told.Status)
	_ = a.huma.Marshal(ctx.BodyWriter(), jsonType, told) // whoever asked has gone
}

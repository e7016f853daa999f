package api

import (
	"net/http"
	"runtime/debug"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/study"
)

// rescue turns a panic into a problem without details, which are logged. If the reply has begun, it
// aborts the connection, so that the client notices that the reply is incomplete.
func (a *api) rescue(ctx huma.Context, next func(huma.Context)) {
	defer func() {
		what := recover()
		if what == nil {
			return
		}
		if err, ok := what.(error); ok && err == http.ErrAbortHandler || ctx.Context().Err() != nil { //nolint:errorlint // panics have it unwrapped
			panic(http.ErrAbortHandler)
		}
		a.Log.Error("a request failed", "operation", ctx.Operation().OperationID, "panic", what, "stack", string(debug.Stack()))
		if ctx.Status() != 0 {
			panic(http.ErrAbortHandler)
		}
		a.refuse(ctx, coded(study.Internal()))
	}()
	next(ctx)
}

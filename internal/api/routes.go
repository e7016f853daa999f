package api

import (
	"maps"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bestpick/internal/study"
	"bestpick/wire"
)

// routes serves the routes of the multiplexer, and replies with a problem for other paths and methods.
func (a *api) routes(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if strings.HasPrefix(r.URL.Path, Prefix+"/") {
			w.Header().Set("Cache-Control", "no-store")
		}
		_, pattern := mux.Handler(r)
		if pattern == "" {
			noRoute(w, r, mux)
			return
		}
		mux.ServeHTTP(w, a.routeRows(r, pattern))
		r.Pattern = pattern
	})
}

// noRoute replies with 404, or with 405 if the path has other methods.
func noRoute(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) {
	said := unsent{}
	mux.ServeHTTP(said, r)
	told := problem(http.StatusNotFound, wire.NotFound, "unknown path")
	if allowed := said.Header().Get("Allow"); allowed != "" {
		w.Header().Set("Allow", allowed)
		told = problem(http.StatusMethodNotAllowed, wire.WrongMethod, "the method must be one of "+allowed)
	}
	tell(w, told)
}

// An unsent is a ResponseWriter that keeps only the header.
type unsent http.Header

func (u unsent) Header() http.Header            { return http.Header(u) }
func (u unsent) Write(text []byte) (int, error) { return len(text), nil }
func (u unsent) WriteHeader(int)                {}

// rescue turns a panic into a problem without details, which are logged. If the reply has begun, it
// aborts the connection, so that the client notices that the reply is incomplete.
func (a *api) rescue(ctx huma.Context, next func(huma.Context)) {
	defer func() {
		what := recover()
		if what == nil {
			return
		}
		err, ok := what.(error)
		if ok && err == http.ErrAbortHandler || ctx.Context().Err() != nil { //nolint:errorlint // panics have it unwrapped
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

// checkAddress rejects paths that are not text, and query parameters that are repeated or not text.
func (a *api) checkAddress(ctx huma.Context, next func(huma.Context)) {
	r, _ := humago.Unwrap(ctx)
	if !study.IsText(r.URL.Path) {
		a.refuse(ctx, a.problem(study.ErrNotFound))
		return
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		a.refuse(ctx, invalid("query", "the query is invalid: "+err.Error()))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		switch {
		case !study.IsText(name):
			a.refuse(ctx, invalid("query", notText))
			return
		case len(values) > 1:
			a.refuse(ctx, invalid("query."+name, "the parameter must not be repeated"))
			return
		case !study.IsText(values[0]):
			a.refuse(ctx, invalid("query."+name, notText))
			return
		}
	}
	if tags := r.Header.Values("If-Match"); len(tags) > 1 { // equivalent to one list
		r.Header.Set("If-Match", strings.Join(tags, ", "))
	}
	next(ctx)
}

// notText is the message for a text that [study.IsText] rejects.
const notText = "the text must be UTF-8 without zero bytes"

package api

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bestpick/internal/study"
)

// checkAddress rejects paths that are not text, and query parameters that are repeated or not text.
func (a *api) checkAddress(ctx huma.Context, next func(huma.Context)) {
	r, _ := humago.Unwrap(ctx)
	if !isText(r.PathValue("study")) {
		a.refuse(ctx, a.problem(study.ErrNotFound))
		return
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		a.refuse(ctx, malformed("query", "the query is invalid: "+err.Error()))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		switch {
		case !isText(name):
			a.refuse(ctx, invalid("query", notText))
			return
		case len(values) > 1:
			a.refuse(ctx, invalid("query."+name, "the parameter must not be repeated"))
			return
		case !isText(values[0]):
			a.refuse(ctx, invalid("query."+name, notText))
			return
		}
	}
	if tags := r.Header.Values("If-Match"); len(tags) > 1 { // equivalent to one list
		r.Header.Set("If-Match", strings.Join(tags, ", "))
	}
	next(ctx)
}

// notText is the message for a text that isText rejects.
const notText = "the text must be UTF-8 without zero bytes"

// isText reports whether every store can store a text.
func isText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

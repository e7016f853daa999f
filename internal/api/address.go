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

// checkAddress refuses addresses that no store can look for, and those that say something twice.
func (a *api) checkAddress(ctx huma.Context, next func(huma.Context)) {
	r, _ := humago.Unwrap(ctx)
	if !isText(r.PathValue("study")) {
		a.refuse(ctx, a.problem(study.ErrNotFound))
		return
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		a.refuse(ctx, malformed("query", "this is not a query: "+err.Error()))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		switch {
		case !isText(name):
			a.refuse(ctx, invalid("query", notText))
			return
		case len(values) > 1:
			a.refuse(ctx, invalid("query."+name, "it is there twice"))
			return
		case !isText(values[0]):
			a.refuse(ctx, invalid("query."+name, notText))
			return
		}
	}
	if tags := r.Header.Values("If-Match"); len(tags) > 1 { // which is the same as one list
		r.Header.Set("If-Match", strings.Join(tags, ", "))
	}
	next(ctx)
}

// notText says what isText refuses.
const notText = "the text is not UTF-8, or has a zero byte"

// isText reports whether every store can keep a text.
func isText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

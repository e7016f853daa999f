package api

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/wire"
)

// leavesEntry reports whether an operation is audited: all operations that need a token and change
// something, and all exports.
func leavesEntry(operation *huma.Operation) bool {
	return needed(operation) != "" && (operation.Method != http.MethodGet || slices.Contains(operation.Tags, tagFiles))
}

// audit is middleware that adds an entry to the audit log after an operation has succeeded, before
// the reply. Operations need not do this, but may add details with note.
func (a *api) audit(ctx huma.Context, next func(huma.Context)) {
	if !leavesEntry(ctx.Operation()) || ctx.Method() == http.MethodHead {
		next(ctx)
		return
	}
	entry := &access.Entry{By: holder(ctx.Context()).Name, Operation: ctx.Operation().OperationID, Study: ctx.Param("study")}
	next(&recordedContext{huma.WithValue(ctx, entryKey{}, entry), a, entry})
}

// A recordedContext is the context of an audited request.
type recordedContext struct {
	humaContext

	api   *api
	entry *access.Entry
}

// A humaContext is embedded under this name, because one of its methods is called Context.
type humaContext huma.Context

// Unwrap returns the context of the library.
func (c *recordedContext) Unwrap() huma.Context { return c.humaContext }

// SetStatus adds the entry. The library calls it after the operation has succeeded, before it sends
// the reply.
func (c *recordedContext) SetStatus(status int) {
	if status < http.StatusMultipleChoices {
		c.entry.At = c.api.studies.Clock()
		access.Record(c.Context(), c.api.Audit, *c.entry, c.api.Log)
	}
	c.humaContext.SetStatus(status)
}

// entryKey is the key of the entry of a request.
type entryKey struct{}

// note adds details to the entry of a request. They must not contain tokens or data of respondents.
func note(ctx context.Context, detail string) { noted(ctx).Detail = detail }

// noteStudy sets the study of the entry, for requests whose path has none.
func noteStudy(ctx context.Context, id string) { noted(ctx).Study = id }

func noted(ctx context.Context) *access.Entry {
	entry, ok := ctx.Value(entryKey{}).(*access.Entry)
	if !ok {
		return &access.Entry{} // the operation is not audited, such as HEAD
	}
	return entry
}

func (a *api) registerAudit() {
	huma.Register(a.huma, operation(
		"read-audit", "GET /audit", tagAccess, access.Owner, "Read the audit log, newest first",
		"All changes and exports are logged. Deleting a study does not delete its entries.",
	), a.readAudit)
}

func (a *api) readAudit(ctx context.Context, in *LongPage) (*reply[wire.Audit], error) {
	before, err := cursorNumber(in.Cursor, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	found, err := a.Audit.Entries(ctx, before, in.Limit+1)
	if err != nil {
		return nil, a.problem(err)
	}
	found, next := pageOf(found, in.Limit, func(e access.Entry) string { return strconv.FormatInt(e.Number, 10) })
	page := wire.Audit{Entries: []wire.Entry{}, Next: next}
	for _, e := range found {
		page.Entries = append(page.Entries, wire.Entry{At: e.At, By: e.By, Operation: e.Operation, Study: e.Study, Detail: e.Detail})
	}
	return &reply[wire.Audit]{page}, nil
}

// differences returns the JSON names of the fields that differ between two versions of a study.
func differences(was, is wire.Study) (fields []string) {
	before, after := asFields(was), asFields(is)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if before[name] != after[name] {
			fields = append(fields, name)
		}
		delete(after, name)
	}
	return append(fields, slices.Sorted(maps.Keys(after))...)
}

// asFields returns the fields that owners can change by their JSON names, without empty ones.
func asFields(s wire.Study) map[string]string {
	fields := map[string]string{}
	own := wire.Change{Name: &s.Name, Prompt: &s.Prompt, Page: s.Page, Profile: s.Profile, Panel: &s.Panel}
	for name, value := range convert[map[string]json.RawMessage](own) {
		fields[name] = string(value)
	}
	for name, value := range convert[map[string]json.RawMessage](s.Settings) {
		fields["settings."+name] = string(value)
	}
	return fields
}

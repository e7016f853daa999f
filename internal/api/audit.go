package api

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"reflect"
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

type auditInput struct {
	Cursor string `query:"cursor" maxLength:"20" doc:"The value of next in the previous page."`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

func (a *api) readAudit(ctx context.Context, in *auditInput) (*reply[wire.Audit], error) {
	before := int64(math.MaxInt64)
	if in.Cursor != "" {
		var err error
		if before, err = strconv.ParseInt(in.Cursor, 10, 64); err != nil || before < 1 {
			return nil, invalid("query.cursor", noCursor)
		}
	}
	found, err := a.Audit.Entries(ctx, before, in.Limit+1)
	if err != nil {
		return nil, a.problem(err)
	}
	page := wire.Audit{Entries: []wire.Entry{}}
	if len(found) > in.Limit {
		found = found[:in.Limit]
		page.Next = strconv.FormatInt(found[in.Limit-1].Number, 10)
	}
	for _, e := range found {
		page.Entries = append(page.Entries, wire.Entry{At: e.At, By: e.By, Operation: e.Operation, Study: e.Study, Detail: e.Detail})
	}
	return &reply[wire.Audit]{page}, nil
}

// differences returns the JSON names of the fields that differ between two versions of a study.
func differences(was, is wire.Study) (fields []string) {
	if was.Name != is.Name {
		fields = append(fields, "name")
	}
	if was.Prompt != is.Prompt {
		fields = append(fields, "prompt")
	}
	if !reflect.DeepEqual(was.Page, is.Page) {
		fields = append(fields, "page")
	}
	if was.Panel != is.Panel {
		fields = append(fields, "panel")
	}
	before, after := asFields(was.Settings), asFields(is.Settings)
	both := maps.Clone(before)
	maps.Copy(both, after)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if string(before[name]) != string(after[name]) {
			fields = append(fields, "settings."+name)
		}
	}
	return fields
}

// asFields returns settings by JSON name, without empty ones.
func asFields(settings wire.Settings) map[string]json.RawMessage {
	text, err := json.Marshal(settings)
	if err != nil {
		panic("api: " + err.Error())
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		panic("api: " + err.Error())
	}
	return fields
}

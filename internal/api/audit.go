package api

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/wire"
)

// leavesEntry reports whether an operation is one of those that are recorded: all with a token that change
// something, and all that hand out files.
func leavesEntry(operation *huma.Operation) bool {
	return needed(operation) != "" && (operation.Method != http.MethodGet || slices.Contains(operation.Tags, tagFiles))
}

// audit records what is done, once it is and before anybody is told. So whoever adds an operation need not think
// of it, unless there is something to note.
func (a *api) audit(ctx huma.Context, next func(huma.Context)) {
	if !leavesEntry(ctx.Operation()) || ctx.Method() == http.MethodHead {
		next(ctx)
		return
	}
	entry := &access.Entry{By: holder(ctx.Context()).Name, Operation: ctx.Operation().OperationID, Study: ctx.Param("study")}
	next(&recordedContext{huma.WithValue(ctx, entryKey{}, entry), a, entry})
}

// A recordedContext is that of a request that leaves an entry if it succeeds.
type recordedContext struct {
	humaContext

	api   *api
	entry *access.Entry
}

// A humaContext is embedded under another name, since one of its methods is called Context.
type humaContext huma.Context

// Unwrap returns the context that the library knows.
func (c *recordedContext) Unwrap() huma.Context { return c.humaContext }

// SetStatus is called when all is done and nothing is said yet.
func (c *recordedContext) SetStatus(status int) {
	if status < http.StatusMultipleChoices {
		access.Record(c.Context(), c.api.Audit, *c.entry, c.api.Log)
	}
	c.humaContext.SetStatus(status)
}

// entryKey is the key of the entry of a request.
type entryKey struct{}

// note says more about what is done. It must not be a token, nor anything that respondents said.
func note(ctx context.Context, detail string) { noted(ctx).Detail = detail }

// noteStudy says which study it is about, where the address does not.
func noteStudy(ctx context.Context, id string) { noted(ctx).Study = id }

func noted(ctx context.Context) *access.Entry {
	entry, ok := ctx.Value(entryKey{}).(*access.Entry)
	if !ok {
		return &access.Entry{} // of an operation that is not recorded, such as HEAD
	}
	return entry
}

func (a *api) registerAudit() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "read-audit", Method: http.MethodGet, Path: "/audit", Tags: []string{tagAccess}, Security: owners(),
		Summary:     "What was done, and by whom, newest first",
		Description: "Whatever changes something leaves an entry, and so do exports. Entries stay when the study is deleted.",
	}, a.readAudit)
}

type auditInput struct {
	Cursor string `query:"cursor" maxLength:"20" doc:"The next of the page before."`
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

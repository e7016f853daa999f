// Package api is the HTTP API of live studies, under /api/v1. Its OpenAPI 3.1 document is generated
// from the code and can be read at /docs.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bestpick/internal/access"
	"bestpick/internal/picture"
	"bestpick/internal/study/wiring"
	"bestpick/internal/table"
	"bestpick/internal/webhook"
	"bestpick/wire"
)

// Prefix is the path of the API.
const Prefix = "/api/v1"

// Options configure the API.
type Options struct {
	// Base is the path under which the service is mounted, without a slash at its end. Requests arrive
	// without it. Defaults to the root.
	Base string

	// Version is the version of the program.
	Version string

	// Tokens stores the tokens of owners and viewers.
	Tokens access.Tokens

	// Audit stores the audit log.
	Audit access.Audit

	// Webhooks sends the webhooks of studies.
	Webhooks *webhook.Sender

	// Pictures checks the addresses of pictures. Defaults to no check.
	Pictures *picture.Links

	// Log receives failures. Defaults to no log.
	Log *slog.Logger

	// Closing is closed when the server is about to stop, which ends event streams. Defaults to a channel that is never closed.
	Closing <-chan struct{}

	// Heartbeat is the interval of heartbeats in event streams, which keep proxies from closing idle connections. A stream ends
	// at the next heartbeat after its token is revoked. Defaults to 15 seconds.
	Heartbeat time.Duration

	// MaxUpload is the maximum size of a request with files in bytes, and of each file after decompression. Defaults to 256 MB.
	MaxUpload int64
}

// An api has the state that all operations share.
type api struct {
	Options

	studies  *wiring.Service
	huma     huma.API
	refusals access.Refusals
	withRows map[string]bool // patterns of the operations that accept a form or JSON
}

// Handler returns the API for the studies of a service.
func Handler(studies *wiring.Service, o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.MaxUpload == 0 {
		o.MaxUpload = table.MaxUploadBytes
	}
	caseSensitive()
	mux := http.NewServeMux()
	a := &api{Options: o, studies: studies, huma: humago.NewWithPrefix(mux, Prefix, config(o)), withRows: map[string]bool{}}
	a.huma.UseMiddleware(a.rescue, a.checkAddress, a.authorise, a.audit, a.readBody)
	a.registerStudies()
	a.registerUploads()
	a.registerStates()
	a.registerArms()
	a.registerDraftFiles()
	a.registerPanels()
	a.registerRespondents()
	a.registerErasures()
	a.registerResults()
	a.registerJudges()
	a.registerEvents()
	a.registerWebhooks()
	a.registerFiles()
	a.registerTokens()
	a.registerAudit()
	a.describe()
	a.serveDocs(mux)
	return a.routes(mux)
}

// The tags that group operations.
const (
	tagStudies     = "studies"
	tagRespondents = "respondents"
	tagResults     = "results"
	tagArms        = "arms"
	tagPanel       = "panel"
	tagFiles       = "files"
	tagAccess      = "access"
)

// The common prefixes of paths.
const (
	allStudies = "/studies"
	oneStudy   = allStudies + "/{study}"
	studyArms  = oneStudy + "/arms"
	studyPanel = oneStudy + "/panel"
	allTokens  = "/tokens"
)

// Content types of requests and replies.
const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
	formType    = "multipart/form-data"
)

// operation returns the description of an operation. Its route is a method and a path; the role is empty if it needs no token.
func operation(id, route, tag string, role access.Role, summary, description string) huma.Operation {
	method, path, _ := strings.Cut(route, " ")
	o := huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{tag}, Summary: summary, Description: description,
		Security: []map[string][]string{},
	}
	if role != "" {
		o.Security = []map[string][]string{{tokenScheme: {string(role)}}}
	}
	return o
}

// register registers an operation. Its errors become problems.
func register[I, O any](a *api, o huma.Operation, do func(context.Context, *I) (*O, error)) {
	huma.Register(a.huma, o, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if _, told := errors.AsType[*huma.ErrorModel](err); err != nil && !told {
			err = a.problem(err)
		}
		return out, err
	})
}

// upload returns an operation that accepts files, with a longer timeout.
func upload(o huma.Operation) huma.Operation {
	o.BodyReadTimeout = 10 * time.Minute
	return o
}

// withStatus returns an operation with another status than 200.
func withStatus(status int, o huma.Operation) huma.Operation {
	o.DefaultStatus = status
	return o
}

// A bodyInput names a study and has a body.
type bodyInput[T any] struct {
	StudyPath

	Body T
}

// A guardedBody names a study, optionally in a version, and has a body.
type guardedBody[T any] struct {
	GuardedPath

	Body T
}

// A formInput names a study and has a form.
type formInput[T any] struct {
	StudyPath

	RawBody huma.MultipartFormFiles[T]
}

// A guardedForm names a study, optionally in a version, and has a form.
type guardedForm[T any] struct {
	GuardedPath

	RawBody huma.MultipartFormFiles[T]
}

// A ShortPage selects a page of a list.
type ShortPage struct {
	Cursor string `query:"cursor" maxLength:"100" doc:"The value of next in the previous page."`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

// A LongPage selects a page of a list with small elements.
type LongPage struct {
	Cursor string `query:"cursor" maxLength:"100" doc:"The value of next in the previous page."`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

// noCursor is the message for an invalid cursor.
const noCursor = "the cursor must be the value of next in the previous page"

// cursorNumber returns the number that a cursor is, or the number of the first page.
func cursorNumber(cursor string, first int64) (int64, error) {
	if cursor == "" {
		return first, nil
	}
	number, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || number < 1 {
		return 0, invalid("query.cursor", noCursor)
	}
	return number, nil
}

// pageOf returns the first elements of a list, and the cursor of the next page if there are more.
func pageOf[T any](found []T, limit int, cursor func(T) string) (page []T, next string) {
	if len(found) <= limit {
		return found, ""
	}
	return found[:limit], cursor(found[limit-1])
}

// A reply consists of a body.
type reply[T any] struct{ Body T }

// A taggedReply is a body with the ETag of its study.
type taggedReply[T any] struct {
	ETag string `header:"ETag"`
	Body T
}

func config(o Options) huma.Config {
	c := huma.DefaultConfig("bestpick", o.Version)
	c.Info.Description = "Finds the best of many options by asking people to pick one of a few. " +
		"Owners and viewers show a token; respondents need only the ID of a study and what its audience requires. " +
		"The OpenAPI document is at " + o.Base + "/openapi.json."
	c.Info.License = &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"}
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil // no links to schemas in replies
	c.RejectUnknownQueryParameters = true
	c.Formats = formats()
	c.Transformers = []huma.Transformer{tidied}
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[wire.Problem]())
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[json.RawMessage](), reflect.TypeFor[map[string]any]()) // rows
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		tokenScheme: {
			Type: "http", Scheme: "bearer",
			Description: "The token that `bestpick serve` prints at its first start, or one created later. " +
				"Operations for viewers are also open to owners.",
		},
	}
	c.Tags = []*huma.Tag{
		{Name: tagStudies, Description: "Create, run and delete studies."},
		{Name: tagRespondents, Description: "Ask and answer questions. Respondents need only the token of a question."},
		{Name: tagPanel, Description: "Restrict a study to invited respondents."},
		{Name: tagResults, Description: "The current verdict."},
		{Name: tagArms, Description: "The options of a study."},
		{Name: tagFiles, Description: "Import and export answers, arms and logs."},
		{Name: tagAccess, Description: "Tokens and the audit log."},
	}
	return c
}

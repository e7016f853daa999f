// Package api is the HTTP interface of live studies, under /api/v1. Its description, OpenAPI 3.1, is
// generated from the code and can be read at /docs.
package api

import (
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/picture"
	"bestpick/internal/study/wiring"
	"bestpick/internal/uploads"
	"bestpick/internal/webhook"
	"bestpick/wire"
)

// Prefix is where the interface is.
const Prefix = "/api/v1"

// Options are what the interface needs besides studies.
type Options struct {
	// Version is that of the program.
	Version string

	// Tokens are those of owners and viewers.
	Tokens access.Tokens

	// Respondents says how often one respondent may ask. Default as often as they like.
	Respondents *middleware.Limiter

	// Audit is where it is kept what they did.
	Audit access.Audit

	// Webhooks are those of studies.
	Webhooks webhook.Store

	// PrivateWebhooks allows webhooks at addresses that are not public, and by plain HTTP.
	PrivateWebhooks bool

	// Pictures checks the addresses of pictures. Default they are not checked.
	Pictures *picture.Links

	// Log is told of failures. Default nobody is.
	Log *slog.Logger

	// Closing is closed when the program is about to stop, which ends live events. Default never.
	Closing <-chan struct{}

	// Heartbeat is how often live events show that they go on, so that nobody on the way takes the connection for
	// dead, and how soon they end when the token is revoked. Default 15 seconds.
	Heartbeat time.Duration

	// MaxUpload is how large a request with files may be, in bytes, and each of the files after
	// decompression. Defaults to 256 MB.
	MaxUpload int64
}

// An api is what all operations share.
type api struct {
	Options

	studies *wiring.Service
	huma    huma.API
}

// Handler returns the interface on the studies of a service.
func Handler(studies *wiring.Service, o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.MaxUpload == 0 {
		o.MaxUpload = uploads.MaxBytes
	}
	mux := http.NewServeMux()
	a := &api{Options: o, studies: studies, huma: humago.NewWithPrefix(mux, Prefix, config(o.Version))}
	a.huma.UseMiddleware(a.rescue, a.checkAddress, a.authorise, a.audit, a.readBody)
	a.registerStudies()
	a.registerUploads()
	a.registerStates()
	a.registerArms()
	a.registerPanels()
	a.registerRespondents()
	a.registerErasures()
	a.registerResults()
	a.registerEvents()
	a.registerWebhooks()
	a.registerFiles()
	a.registerTokens()
	a.registerAudit()
	a.serveDocs(mux)
	return routes(mux)
}

// The tags by which operations are ordered.
const (
	tagStudies     = "studies"
	tagRespondents = "respondents"
	tagResults     = "results"
	tagArms        = "arms"
	tagPanel       = "panel"
	tagFiles       = "files"
	tagAccess      = "access"
)

// The addresses of which others are made.
const (
	allStudies = "/studies"
	oneStudy   = allStudies + "/{study}"
	studyArms  = oneStudy + "/arms"
	studyPanel = oneStudy + "/panel"
	allTokens  = "/tokens"
)

// What is sent, and replied.
const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
	formType    = "multipart/form-data"
)

// A reply has nothing but a body.
type reply[T any] struct{ Body T }

func config(version string) huma.Config {
	c := huma.DefaultConfig("bestpick", version)
	c.Info.Description = "Finds the best of many options by asking people to pick one of a few. Owners and viewers show a token; respondents need only the id of a study or, where it has a panel, a key of their own. For programs the description is at " + Prefix + "/openapi.json."
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil // no links to schemas in the replies
	c.RejectUnknownQueryParameters = true
	c.Transformers = []huma.Transformer{tidied}
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[wire.Problem]())
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		tokenScheme: {Type: "http", Scheme: "bearer", Description: "The token that `bestpick serve` shows when it starts for the first time, or one that was made since. Where viewer is said, owners may, too."},
	}
	c.Tags = []*huma.Tag{
		{Name: tagStudies, Description: "Setting up studies, and running them."},
		{Name: tagRespondents, Description: "Asking and answering. No token is needed but the one of the question."},
		{Name: tagPanel, Description: "Who may answer, where not everybody may who has the link of the study."},
		{Name: tagResults, Description: "What is known so far."},
		{Name: tagArms, Description: "The options."},
		{Name: tagFiles, Description: "Answers and arms, in and out."},
		{Name: tagAccess, Description: "Who may do what, and who did."},
	}
	return c
}

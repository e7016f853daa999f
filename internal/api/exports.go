package api

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/replay"
	"bestpick/internal/table"
	"bestpick/wire"
)

// A formatInput names a study and a file format.
type formatInput struct {
	StudyPath

	Format string `query:"format" enum:"csv,jsonl,parquet" default:"csv"`
}

func (a *api) registerFiles() {
	huma.Register(a.huma, download(huma.Operation{
		OperationID: "export-log", Path: oneStudy + "/export/log", Security: owners(), Summary: "Export the log of a study",
		Description: "JSON Lines with all outcomes and plans, from which `bestpick verify` recomputes the verdict. The last " +
			"line is a signature.",
	}, overview.ContentType(table.JSONLines)), a.exportLog)
	huma.Register(a.huma, huma.Operation{
		OperationID: "public-key", Method: http.MethodGet, Path: "/public-key", Tags: []string{tagFiles},
		Summary: "Read the public key of the server",
		Description: "`bestpick verify --public-key` checks the signature of exported logs with it. All studies of a server " +
			"share one key.",
	}, func(context.Context, *struct{}) (*reply[wire.PublicKey], error) {
		return &reply[wire.PublicKey]{wire.PublicKey{PublicKey: replay.PublicKeyOf(a.studies.Secret).String()}}, nil
	})
	all := []string{overview.ContentType(table.CSV), overview.ContentType(table.JSONLines), overview.ContentType(table.Parquet)}
	huma.Register(a.huma, download(huma.Operation{
		OperationID: "export-answers", Path: oneStudy + "/export/answers", Security: owners(),
		Summary: "Export the outcome of every question",
	}, all...), a.exportAnswers)
	huma.Register(a.huma, download(huma.Operation{
		OperationID: "export-arms", Path: oneStudy + "/export/arms", Security: viewers(),
		Summary: "Export the arms, with the owner's columns",
	}, all...), a.exportArms)
	huma.Register(a.huma, download(huma.Operation{
		OperationID: "export-leaderboard", Path: oneStudy + "/export/leaderboard", Security: viewers(),
		Summary: "Export the leaderboard as CSV",
	}, overview.ContentType(table.CSV)), a.exportLeaderboard)
	huma.Register(a.huma, upload(huma.Operation{
		OperationID: "import-answers", Method: http.MethodPost, Path: oneStudy + "/import", Tags: []string{tagFiles},
		Security: owners(),
		Summary:  "Import recorded answers",
		Description: "The import is atomic, and each batch is imported once. Imported answers count like others, so whether an " +
			"answer is in the file must not depend on its picks. The answers are a file, or objects in JSON of at most 8 MB.",
	}), a.importAnswers)
	a.acceptJSON(http.MethodPost, oneStudy+"/import", reflect.TypeFor[wire.NewAnswers]())
}

// download returns an operation that replies with a file of one of the types.
func download(operation huma.Operation, types ...string) huma.Operation {
	operation.Method, operation.Tags = http.MethodGet, []string{tagFiles}
	content := map[string]*huma.MediaType{}
	for _, kind := range types {
		content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	operation.Responses = map[string]*huma.Response{"200": {Description: "The file.", Content: content}}
	return operation
}

// stream replies with a file of a study while it is generated. An error aborts the connection, so
// that the client notices that the file is incomplete.
func (a *api) stream(ctx context.Context, id string, file overview.File, err error) (*huma.StreamResponse, error) {
	if many, ok := errors.AsType[*overview.TooManyError](err); ok {
		return nil, problem(http.StatusConflict, wire.Invalid, many.Error())
	}
	if err != nil {
		return nil, a.problem(err)
	}
	note(ctx, strings.TrimPrefix(path.Ext(file.Name), "."))
	return &huma.StreamResponse{Body: func(reply huma.Context) {
		reply.SetHeader("Content-Type", file.Type)
		reply.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
		reply.SetStatus(http.StatusOK)
		if reply.Method() == http.MethodHead {
			return
		}
		if err := file.Write(reply.BodyWriter()); err != nil {
			if ctx.Err() == nil {
				a.Log.Error("an export failed", "study", access.Pseudonym(id), "type", file.Type, "error", err)
			}
			panic(http.ErrAbortHandler)
		}
	}}, nil
}

func (a *api) exportLog(ctx context.Context, in *StudyPath) (*huma.StreamResponse, error) {
	file, err := a.studies.Overview.ExportLog(ctx, in.Study)
	return a.stream(ctx, in.Study, file, err)
}

func (a *api) exportAnswers(ctx context.Context, in *formatInput) (*huma.StreamResponse, error) {
	file, err := a.studies.Overview.ExportAnswers(ctx, in.Study, table.Format(in.Format))
	return a.stream(ctx, in.Study, file, err)
}

func (a *api) exportArms(ctx context.Context, in *formatInput) (*huma.StreamResponse, error) {
	file, err := a.studies.Overview.ExportArms(ctx, in.Study, table.Format(in.Format))
	return a.stream(ctx, in.Study, file, err)
}

func (a *api) exportLeaderboard(ctx context.Context, in *StudyPath) (*huma.StreamResponse, error) {
	file, err := a.studies.Overview.ExportLeaderboard(ctx, in.Study)
	return a.stream(ctx, in.Study, file, err)
}

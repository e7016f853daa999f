package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/table"
	"bestpick/wire"
)

const studyContexts = oneStudy + "/contexts"

func (a *api) registerContexts() {
	huma.Register(a.huma, upload(huma.Operation{
		OperationID: "set-contexts", Method: http.MethodPut, Path: studyContexts, Tags: []string{tagArms}, Security: owners(),
		Summary: "Set the contexts of a draft",
		Description: "Each question then shows the texts of its arms in one context, such as the replies of models to one " +
			"prompt, and not the arms themselves. Every context is asked equally often. Replaces earlier contexts; possible while " +
			"the study has no answers. The texts are a file, or objects in JSON of at most 8 MB.",
	}), a.setContexts)
	a.acceptJSON(http.MethodPut, studyContexts, reflect.TypeFor[wire.NewContexts]())
}

// A contextsForm has a file of texts.
type contextsForm struct {
	Texts  huma.FormFile `form:"texts" required:"true" doc:"A table with the columns arm (its id), context and text, with one row for each arm in each context: CSV, .xlsx or JSON Lines. At most 100,000 rows, 10,000 contexts and 8 MB."`
	Format string        `form:"format" required:"false" enum:"plain,markdown" doc:"How the pages show contexts and texts. Defaults to plain."`
}

type contextsInput struct {
	GuardedPath

	RawBody huma.MultipartFormFiles[contextsForm]
}

func (a *api) setContexts(ctx context.Context, in *contextsInput) (*taggedReply[wire.Contexts], error) {
	version, err := a.version(ctx, in.GuardedPath)
	if err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	format, err := archive.ParseTextFormat(form.Format)
	if err != nil {
		return nil, a.problem(study.Invalid("format", err.Error()))
	}
	var contexts *archive.Contexts
	open := func(arms *archive.Catalogue) (_ *archive.Contexts, err error) {
		texts := read.Upload{Name: form.Texts.Filename, Contents: form.Texts, Size: form.Texts.Size, Limits: table.ContextsLimits()}
		if contexts, err = arms.ReadContexts(texts, format); err != nil {
			return nil, &fileError{err}
		}
		return contexts, nil
	}
	changed, err := a.studies.Owner.SetContexts(ctx, in.Study, version, open)
	if err != nil {
		return nil, a.uploadProblem(err, inField(textsField))
	}
	note(ctx, access.Counted(len(contexts.Names), "context"))
	return &taggedReply[wire.Contexts]{etag(changed), wire.Contexts{
		Contexts: len(contexts.Names), Texts: len(contexts.Names) * changed.Arms, Format: string(contexts.Format),
	}}, nil
}

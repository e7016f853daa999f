package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/choice"
	"bestpick/internal/access"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/recorded"
	"bestpick/internal/table"
	"bestpick/wire"
)

const studyPrior = oneStudy + "/prior"

func (a *api) registerPrior() {
	huma.Register(a.huma, upload(huma.Operation{
		OperationID: "set-prior", Method: http.MethodPut, Path: studyPrior, Tags: []string{tagArms}, Security: owners(),
		Summary: "Set the prior of a draft",
		Description: "Recorded choices inform the questions and predictions of the study and are no evidence: certificates " +
			"rest on its own answers. Only with racing under linear, without segments, for at most 64 features; the fallback is " +
			"turned off. Replaces an earlier prior; possible while the study has no answers. A study with a prior cannot import " +
			"answers, and replacing its arms removes the prior. The choices are a file, or objects in JSON of at most 8 MB.",
	}), a.setPrior)
	a.acceptJSON(http.MethodPut, studyPrior, reflect.TypeFor[wire.NewPrior]())
	huma.Register(a.huma, huma.Operation{
		OperationID: "remove-prior", Method: http.MethodDelete, Path: studyPrior, Tags: []string{tagArms}, Security: owners(),
		Summary: "Remove the prior of a draft", Description: "The fallback stays off.",
	}, a.removePrior)
}

// A priorForm has a file of recorded choices.
type priorForm struct {
	Answers huma.FormFile `form:"answers" required:"true" doc:"CSV or JSON Lines, with the arms shown and picked as in an export. At most 100,000 rows and 32 MB."`
}

type priorInput struct {
	GuardedPath

	RawBody huma.MultipartFormFiles[priorForm]
}

func (a *api) setPrior(ctx context.Context, in *priorInput) (*taggedReply[wire.Prior], error) {
	version, err := a.version(ctx, in.GuardedPath)
	if err != nil {
		return nil, err
	}
	file := in.RawBody.Data().Answers
	open := func(arms *choice.Catalogue, offer choice.Offer) (*choice.Tally, error) {
		tally, err := recorded.UploadedTally(
			read.Upload{Name: file.Filename, Contents: file, Size: file.Size, Limits: table.PriorLimits()}, arms, offer,
		)
		if err != nil {
			return nil, &fileError{err}
		}
		return tally, nil
	}
	changed, err := a.studies.Owner.SetPrior(ctx, in.Study, version, open)
	if err != nil {
		return nil, a.uploadProblem(err, inField(answersField))
	}
	choices := changed.Settings.Choices()
	note(ctx, access.Counted(choices, "choice"))
	return &taggedReply[wire.Prior]{etag(changed), wire.Prior{Choices: choices}}, nil
}

func (a *api) removePrior(ctx context.Context, in *GuardedPath) (*studyReply, error) {
	version, err := a.version(ctx, *in)
	if err != nil {
		return nil, err
	}
	return a.reply(a.studies.Owner.RemovePrior(ctx, in.Study, version))
}

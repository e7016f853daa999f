package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/uploads"
	"bestpick/strategy/racing"
	"bestpick/wire"
)

// The fields that files are in.
const (
	catalogueField = "catalogue"
	idsField       = "ids"
	answersField   = "answers"
	membersField   = "members"
)

// An armsForm is an uploaded catalogue.
type armsForm struct {
	Catalogue huma.FormFile `form:"catalogue" required:"true" doc:"The arms: CSV, JSON Lines, Parquet, .npy, a .yaml of attributes, or a saved .npz. The ending of its name says which. At most 200,000 arms, 10,000 columns and 20 million values."`
	IDs       huma.FormFile `form:"ids" required:"false" doc:"The ids of the rows of a .npy, one a line, or a table."`
}

// arms returns the uploaded catalogue with its limits. A compressed file may be as large as one that is
// not compressed.
func (a *api) arms(f *armsForm) read.Upload {
	u := read.Upload{Name: f.Catalogue.Filename, Contents: f.Catalogue, Size: f.Catalogue.Size, Limits: uploads.Arms(a.MaxUpload)}
	if f.IDs.IsSet {
		u.IDs = &read.Upload{Name: f.IDs.Filename, Contents: f.IDs, Size: f.IDs.Size}
	}
	return u
}

// A studyForm is a new study.
type studyForm struct {
	Catalogue  huma.FormFile `form:"catalogue" required:"true" doc:"The arms: CSV, JSON Lines, Parquet, .npy, a .yaml of attributes, or a saved .npz. The ending of its name says which. At most 200,000 arms, 10,000 columns and 20 million values."`
	IDs        huma.FormFile `form:"ids" required:"false" doc:"The ids of the rows of a .npy, one a line, or a table."`
	Name       string        `form:"name" required:"true" minLength:"1" maxLength:"200" doc:"What the owner calls it."`
	Prompt     string        `form:"prompt" required:"false" maxLength:"2000" doc:"What respondents are asked, such as: Which of these would you buy?"`
	Settings   wire.Settings `form:"settings" required:"false" contentType:"application/json" doc:"As JSON. What is left out has its default."`
	Columns    wire.Columns  `form:"columns" required:"false" contentType:"application/json" doc:"As JSON. How to read columns of a table that are recognised wrongly."`
	Dimensions int           `form:"dimensions" required:"false" minimum:"0" maximum:"1024" doc:"To how many dimensions embeddings are reduced. Default 16."`
}

func (f *studyForm) arms() *armsForm { return &armsForm{f.Catalogue, f.IDs} }

// An armsReply is a study that has new arms.
type armsReply struct {
	ETag string `header:"ETag"`
	Body wire.Created
}

// A createdReply is a new study, with where it is.
type createdReply struct {
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     wire.Created
}

// upload makes an operation one that takes files, which may take a while.
func upload(operation huma.Operation) huma.Operation {
	operation.BodyReadTimeout = 10 * time.Minute
	return operation
}

func (a *api) registerUploads() {
	huma.Register(a.huma, upload(huma.Operation{
		OperationID: "create-study", Method: http.MethodPost, Path: allStudies, Tags: []string{tagStudies}, Security: owners(),
		Summary: "Create a study from a file of arms", Description: "It is a draft at first.", DefaultStatus: http.StatusCreated,
	}), a.createStudy)
	huma.Register(a.huma, upload(huma.Operation{
		OperationID: "replace-arms", Method: http.MethodPut, Path: studyArms, Tags: []string{tagArms}, Security: owners(),
		Summary: "Replace the arms of a draft", Description: "As long as it has no answers. Needs If-Match, so that two owners do not overwrite each other's changes.",
	}), a.replaceArms)
	huma.Register(a.huma, upload(huma.Operation{
		OperationID: "add-arms", Method: http.MethodPost, Path: studyArms, Tags: []string{tagArms}, Security: owners(),
		Summary: "Add arms to a study", Description: "Also while it is open. They have the columns of the first arms.",
	}), a.addArms)
}

type studyInput struct {
	RawBody huma.MultipartFormFiles[studyForm]
}

func (a *api) createStudy(ctx context.Context, in *studyInput) (*createdReply, error) {
	form := in.RawBody.Data()
	settings, err := readSettings(form.Settings)
	if err != nil {
		return nil, a.problem(err)
	}
	options, err := readColumns(form.Columns)
	if err != nil {
		return nil, a.problem(err)
	}
	arms, err := archive.OpenUpload(a.arms(form.arms()), options, form.Dimensions)
	if err != nil {
		return nil, a.inFiles(err, form.arms().locate)
	}
	created, err := a.studies.Create(ctx, form.Name, form.Prompt, settings, &arms.Catalogue)
	if err != nil {
		return nil, a.problem(err)
	}
	noteStudy(ctx, created.ID)
	note(ctx, fmt.Sprintf("%q, %d arms", created.Name, created.Arms))
	return &createdReply{etag(created), Prefix + allStudies + "/" + created.ID, writeCreated(created, notes(arms, settings))}, nil
}

// readColumns returns the options for reading a file of arms.
func readColumns(w wire.Columns) (catalogue.Options, error) {
	options := catalogue.Options{Kinds: map[string]catalogue.Kind{}, Missing: map[string]catalogue.MissingPolicy{}}
	var err error
	for _, column := range slices.Sorted(maps.Keys(w.Kinds)) {
		if options.Kinds[column], err = catalogue.ParseKind(w.Kinds[column]); err != nil {
			return options, &study.FieldError{Field: "columns.kinds", Problem: err.Error()}
		}
	}
	for _, column := range slices.Sorted(maps.Keys(w.Missing)) {
		if options.Missing[column], err = catalogue.ParseMissingPolicy(w.Missing[column]); err != nil {
			return options, &study.FieldError{Field: "columns.missing", Problem: err.Error()}
		}
	}
	return options, nil
}

// An armsInput is arms for a study that there is.
type armsInput struct {
	GuardedPath

	RawBody huma.MultipartFormFiles[armsForm]
}

func (a *api) replaceArms(ctx context.Context, in *armsInput) (*armsReply, error) {
	version, err := a.neededVersion(ctx, in.GuardedPath)
	if err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	arms, err := archive.OpenUpload(a.arms(form), catalogue.Options{}, 0)
	if err != nil {
		return nil, a.inFiles(err, form.locate)
	}
	changed, err := a.studies.SetArms(ctx, in.Study, version, &arms.Catalogue)
	if err != nil {
		return nil, a.problemOf(catalogueField, err)
	}
	note(ctx, fmt.Sprintf("%d arms", changed.Arms))
	return &armsReply{etag(changed), writeCreated(changed, notes(arms, changed.Settings))}, nil
}

func (a *api) addArms(ctx context.Context, in *armsInput) (*armsReply, error) {
	version, err := a.version(ctx, in.GuardedPath)
	if err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	var warnings []encode.Warning
	changed, err := a.studies.AddArms(ctx, in.Study, version, func(arms *archive.Catalogue) (*archive.Catalogue, error) {
		more, err := arms.Add(a.arms(form), catalogue.Options{})
		if err != nil {
			return nil, &fileError{err}
		}
		warnings = more.Warnings
		return &more.Catalogue, nil
	})
	if file, ok := errors.AsType[*fileError](err); ok {
		return nil, a.inFiles(file.error, form.locate)
	}
	if err != nil {
		return nil, a.problemOf(catalogueField, err)
	}
	note(ctx, fmt.Sprintf("%d arms", changed.Arms))
	return &armsReply{etag(changed), writeCreated(changed, warnings)}, nil
}

// notes returns how a file was understood, and the warnings about its arms.
func notes(arms *archive.Encoded, s study.Settings) []encode.Warning {
	answers := func(features int) float64 { return racing.ExpectFeatures(features, s.Strategy).Median }
	return slices.Concat(arms.Notes(answers, false), arms.Warnings)
}

// A fileError is one about a file that was sent.
type fileError struct{ error }

func writeCreated(s study.Study, warnings []encode.Warning) wire.Created {
	created := wire.Created{Study: writeStudy(s), Warnings: []wire.Warning{}}
	for _, w := range warnings {
		created.Warnings = append(created.Warnings, wire.Warning(w))
	}
	return created
}

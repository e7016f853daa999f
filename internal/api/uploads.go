package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/internal/access"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/table"
	"bestpick/wire"
)

// The form fields of files.
const (
	catalogueField = "catalogue"
	armsField      = "arms" // in JSON
	idsField       = "ids"
	answersField   = "answers"
	membersField   = "members"
	textsField     = "texts"
)

// An armsForm is an uploaded catalogue.
type armsForm struct {
	Catalogue huma.FormFile `form:"catalogue" required:"true" doc:"The arms: CSV, .xlsx, JSON, .npy, a .yaml of attributes, a saved .npz, or a .zip of a table and its pictures. The ending of its name says which. At most 200,000 arms, 10,000 columns and 20 million values."`
	IDs       huma.FormFile `form:"ids" required:"false" doc:"The ids of the rows of a .npy, one a line, or a table."`
	Sheet     string        `form:"sheet" required:"false" maxLength:"100" doc:"The sheet of an .xlsx. Default: the fullest that is not hidden."`
}

// file returns the uploaded catalogue with its limits. A compressed file may be as large as an uncompressed one.
func (a *api) file(f *armsForm) owner.File {
	u := uploaded(f.Catalogue, table.ArmsLimits(a.MaxUpload))
	if f.IDs.IsSet {
		u.IDs = &read.Upload{Name: f.IDs.Filename, Contents: f.IDs, Size: f.IDs.Size}
	}
	return owner.File{Upload: u, Columns: catalogue.Options{Sheet: f.Sheet}, Links: a.Pictures}
}

// A studyForm describes a new study.
type studyForm struct {
	Catalogue  huma.FormFile `form:"catalogue" required:"true" doc:"The arms: CSV, .xlsx, JSON, .npy, a .yaml of attributes, a saved .npz, or a .zip of a table and its pictures. The ending of its name says which. At most 200,000 arms, 10,000 columns and 20 million values."`
	IDs        huma.FormFile `form:"ids" required:"false" doc:"The ids of the rows of a .npy, one a line, or a table."`
	Sheet      string        `form:"sheet" required:"false" maxLength:"100" doc:"The sheet of an .xlsx. Default: the fullest that is not hidden."`
	Name       string        `form:"name" required:"true" minLength:"1" maxLength:"200" doc:"What the owner calls it."`
	Prompt     string        `form:"prompt" required:"false" maxLength:"2000" doc:"What respondents are asked, such as: Which of these would you buy?"`
	Settings   wire.Settings `form:"settings" required:"false" contentType:"application/json" doc:"As JSON. What is left out has its default."`
	Columns    wire.Columns  `form:"columns" required:"false" contentType:"application/json" doc:"As JSON. How to read columns of a table that are recognised wrongly."`
	Dimensions int           `form:"dimensions" required:"false" minimum:"0" maximum:"1024" doc:"To how many dimensions embeddings are reduced. Default 16."`
}

func (f *studyForm) arms() *armsForm { return &armsForm{f.Catalogue, f.IDs, f.Sheet} }

// A createdReply is a new study with its location.
type createdReply struct {
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     wire.Created
}

func (a *api) registerUploads() {
	registerWithRows(a, withStatus(http.StatusCreated, operation(
		"create-study", "POST "+allStudies, tagStudies, access.Owner, "Create a study",
		"The new study is a draft. Its arms are a file, or objects in JSON. Both are read alike. A request in "+
			"JSON may have 8 MB.",
	)), func(ctx context.Context, in *studyInput) (*createdReply, error) {
		form := in.RawBody.Data()
		return a.createStudy(ctx, in.IdempotencyKey, form, form.arms().locate)
	}, func(ctx context.Context, in *studyRowsInput) (*createdReply, error) {
		form := &studyForm{
			Catalogue: rowsFile("arms.jsonl", in.Body.Arms), Name: in.Body.Name, Prompt: in.Body.Prompt, Dimensions: in.Body.Dimensions,
		}
		if in.Body.Settings != nil {
			form.Settings = *in.Body.Settings
		}
		if in.Body.Columns != nil {
			form.Columns = *in.Body.Columns
		}
		return a.createStudy(ctx, in.IdempotencyKey, form, inField(armsField))
	})
	register(a, upload(operation(
		"replace-arms", "PUT "+studyArms, tagArms, access.Owner, "Replace the arms of a draft",
		"Possible while it has no answers. Requires If-Match, so that two owners do not overwrite each other's changes.",
	)), a.replaceArms)
	register(a, upload(operation(
		"add-arms", "POST "+studyArms, tagArms, access.Owner, "Add arms to a study",
		"Also possible while it is open. The file needs the same columns as the first arms.",
	)), a.addArms)
}

// An IdempotencyHeader identifies a request.
type IdempotencyHeader struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"A text that identifies the request, such as a UUID. A repeated request with the same key and the same token creates nothing and gets the study of the first one."`
}

type studyInput struct {
	IdempotencyHeader

	RawBody huma.MultipartFormFiles[studyForm]
}

type studyRowsInput struct {
	IdempotencyHeader

	Body wire.NewStudy
}

// createStudy creates a study. locate returns the field of a file.
func (a *api) createStudy(
	ctx context.Context, key string, form *studyForm, locate func(file string) string,
) (*createdReply, error) {
	settings, wanted, err := readSettings(form.Settings)
	if err != nil {
		return nil, err
	}
	file := a.file(form.arms())
	if file.Columns, err = readColumns(form.Columns, form.Sheet); err != nil {
		return nil, err
	}
	file.Dimensions = form.Dimensions
	draft := owner.Draft{Name: form.Name, Prompt: form.Prompt, Settings: settings, Guarantee: wanted}
	if draft.Arms, draft.Pictures, err = file.Open(ctx); err != nil {
		return nil, uploadProblem(&fileError{err, true}, locate)
	}
	created, err := a.createOnce(ctx, key, form, draft)
	if err != nil {
		return nil, err
	}
	noted(ctx).Study = created.ID // the path has none
	note(ctx, fmt.Sprintf("%q, %s", created.Name, access.Counted(created.Arms, "option")))
	return &createdReply{
		etag(created), a.Base + Prefix + allStudies + "/" + created.ID,
		a.writeCreated(created, owner.Notes(draft.Arms, created.Settings)),
	}, nil
}

// readColumns returns the options for reading a file of arms.
func readColumns(w wire.Columns, sheet string) (catalogue.Options, error) {
	options := catalogue.Options{Sheet: sheet, Kinds: map[string]catalogue.Kind{}, Missing: map[string]catalogue.MissingPolicy{}}
	var err error
	for _, column := range slices.Sorted(maps.Keys(w.Kinds)) {
		if options.Kinds[column], err = catalogue.ParseKind(w.Kinds[column]); err != nil {
			return options, study.Invalid("columns.kinds", err.Error())
		}
	}
	for _, column := range slices.Sorted(maps.Keys(w.Missing)) {
		if options.Missing[column], err = catalogue.ParseMissingPolicy(w.Missing[column]); err != nil {
			return options, study.Invalid("columns.missing", err.Error())
		}
	}
	return options, nil
}

func (a *api) replaceArms(ctx context.Context, in *guardedForm[armsForm]) (*taggedReply[wire.Created], error) {
	version, err := a.neededVersion(ctx, in.GuardedPath)
	if err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	arms, pictures, err := a.file(form).Open(ctx)
	if err != nil {
		return nil, uploadProblem(inFile(err), form.locate)
	}
	if err := a.studies.Owner.AddPictures(ctx, in.Study, pictures); err != nil {
		return nil, err
	}
	changed, err := a.studies.Owner.SetArms(ctx, in.Study, version, &arms.Catalogue)
	if err != nil {
		return nil, problemOf(catalogueField, err)
	}
	note(ctx, access.Counted(changed.Arms, "option"))
	return &taggedReply[wire.Created]{etag(changed), a.writeCreated(changed, owner.Notes(arms, changed.Settings))}, nil
}

func (a *api) addArms(ctx context.Context, in *guardedForm[armsForm]) (*taggedReply[wire.Created], error) {
	version, err := a.version(ctx, in.GuardedPath)
	if err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	var warnings []encode.Warning
	changed, err := a.studies.Owner.AddArms(ctx, in.Study, version, func(arms *archive.Catalogue) (*archive.Catalogue, error) {
		more, pictures, err := a.file(form).OpenMore(ctx, arms)
		if err != nil {
			return nil, inFile(err)
		}
		warnings = more.Warnings
		return &more.Catalogue, a.studies.Owner.AddPictures(ctx, in.Study, pictures)
	})
	if _, ok := errors.AsType[*fileError](err); ok {
		return nil, uploadProblem(err, form.locate)
	}
	if err != nil {
		return nil, problemOf(catalogueField, err)
	}
	note(ctx, access.Counted(changed.Arms, "option"))
	return &taggedReply[wire.Created]{etag(changed), a.writeCreated(changed, warnings)}, nil
}

// locate returns the field of a file by its name.
func (f *armsForm) locate(file string) string {
	if f.IDs.IsSet && file == f.IDs.Filename && file != f.Catalogue.Filename {
		return idsField
	}
	return catalogueField
}

func (a *api) writeCreated(s study.Study, warnings []encode.Warning) wire.Created {
	created := wire.Created{Study: a.writeStudy(s), Warnings: []wire.Warning{}}
	for _, w := range warnings {
		created.Warnings = append(created.Warnings, wire.Warning{Column: w.Column, Text: w.Text})
	}
	return created
}

package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/api/wire"
	"bestpick/catalogue"
	"bestpick/study"
)

// An armsForm is an uploaded catalogue.
type armsForm struct {
	Catalogue huma.FormFile `form:"catalogue" required:"true" doc:"The arms: CSV, JSON Lines, Parquet, .npy, a .yaml of attributes, or a saved .npz. The ending of its name says which."`
	IDs       huma.FormFile `form:"ids" required:"false" doc:"The ids of the rows of a .npy, one a line, or a table."`
}

// upload is the file as package catalogue takes it.
func (f *armsForm) upload() catalogue.Upload {
	u := catalogue.Upload{Name: f.Catalogue.Filename, Contents: f.Catalogue, Size: f.Catalogue.Size}
	if f.IDs.IsSet {
		u.IDs = &catalogue.Upload{Name: f.IDs.Filename, Contents: f.IDs, Size: f.IDs.Size}
	}
	return u
}

// A studyForm is a new study.
type studyForm struct {
	Catalogue  huma.FormFile `form:"catalogue" required:"true" doc:"The arms: CSV, JSON Lines, Parquet, .npy, a .yaml of attributes, or a saved .npz. The ending of its name says which."`
	IDs        huma.FormFile `form:"ids" required:"false" doc:"The ids of the rows of a .npy, one a line, or a table."`
	Name       string        `form:"name" required:"true" minLength:"1" maxLength:"200" doc:"What the owner calls it."`
	Prompt     string        `form:"prompt" required:"false" maxLength:"2000" doc:"What respondents are asked, such as: Which of these would you buy?"`
	Settings   wire.Settings `form:"settings" required:"false" contentType:"application/json" doc:"As JSON. What is left out has its default."`
	Dimensions int           `form:"dimensions" required:"false" minimum:"0" maximum:"1024" doc:"To how many dimensions embeddings are reduced. Default 16."`
}

func (f *studyForm) arms() *armsForm { return &armsForm{f.Catalogue, f.IDs} }

// A createdReply is a study that has new arms.
type createdReply struct {
	ETag string `header:"ETag"`
	Body wire.Created
}

// upload makes an operation one that takes files, which may take a while.
func (a *api) upload(operation huma.Operation) huma.Operation {
	operation.BodyReadTimeout = 10 * time.Minute
	operation.MaxBodyBytes = a.MaxUpload
	return operation
}

func (a *api) registerUploads() {
	huma.Register(a.huma, a.upload(huma.Operation{
		OperationID: "create-study", Method: http.MethodPost, Path: "/studies", Tags: []string{tagStudies}, Security: owners(),
		Summary: "Create a study from a file of arms", Description: "It is a draft at first.", DefaultStatus: http.StatusCreated,
	}), a.createStudy)
	huma.Register(a.huma, a.upload(huma.Operation{
		OperationID: "replace-arms", Method: http.MethodPut, Path: "/studies/{study}/arms", Tags: []string{tagArms}, Security: owners(),
		Summary: "Replace the arms of a draft", Description: "As long as it has no answers.",
	}), a.replaceArms)
	huma.Register(a.huma, a.upload(huma.Operation{
		OperationID: "add-arms", Method: http.MethodPost, Path: "/studies/{study}/arms", Tags: []string{tagArms}, Security: owners(),
		Summary: "Add arms to a study", Description: "Also while it is open. They have the columns of the first arms.",
	}), a.addArms)
}

func (a *api) createStudy(ctx context.Context, in *struct {
	RawBody huma.MultipartFormFiles[studyForm]
}) (*createdReply, error) {
	form := in.RawBody.Data()
	if err := knownFields(in.RawBody.Form, "catalogue", "ids", "name", "prompt", "settings", "dimensions"); err != nil {
		return nil, err
	}
	arms, err := catalogue.OpenUpload(form.arms().upload(), catalogue.Options{}, form.Dimensions)
	if err != nil {
		return nil, a.inFile("body.catalogue", err)
	}
	created, err := a.studies.Create(ctx, form.Name, form.Prompt, readSettings(form.Settings), &arms.Saved)
	return a.created(created, arms.Warnings, err)
}

// An armsInput is arms for a study that there is.
type armsInput struct {
	GuardedPath

	RawBody huma.MultipartFormFiles[armsForm]
}

func (in *armsInput) check() (version int, err error) {
	if err := knownFields(in.RawBody.Form, "catalogue", "ids"); err != nil {
		return 0, err
	}
	return in.version()
}

func (a *api) replaceArms(ctx context.Context, in *armsInput) (*createdReply, error) {
	version, err := in.check()
	if err != nil {
		return nil, err
	}
	arms, err := catalogue.OpenUpload(in.RawBody.Data().upload(), catalogue.Options{}, 0)
	if err != nil {
		return nil, a.inFile("body.catalogue", err)
	}
	changed, err := a.studies.SetArms(ctx, in.Study, version, &arms.Saved)
	return a.created(changed, arms.Warnings, err)
}

func (a *api) addArms(ctx context.Context, in *armsInput) (*createdReply, error) {
	version, err := in.check()
	if err != nil {
		return nil, err
	}
	var warnings []catalogue.Warning
	changed, err := a.studies.AddArms(ctx, in.Study, version, func(arms *catalogue.Saved) (*catalogue.Saved, error) {
		more, err := arms.Add(in.RawBody.Data().upload(), catalogue.Options{})
		if err != nil {
			return nil, &uploadError{err}
		}
		warnings = more.Warnings
		return &more.Saved, nil
	})
	if file, ok := errors.AsType[*uploadError](err); ok {
		return nil, a.inFile("body.catalogue", file.error)
	}
	return a.created(changed, warnings, err)
}

// An uploadError is one about the file that was sent.
type uploadError struct{ error }

// created is what is said about a study that has new arms.
func (a *api) created(s study.Study, warnings []catalogue.Warning, err error) (*createdReply, error) {
	if err != nil {
		return nil, a.problem(err)
	}
	reply := &createdReply{ETag: etag(s), Body: wire.Created{Study: writeStudy(s), Warnings: []wire.Warning{}}}
	for _, w := range warnings {
		reply.Body.Warnings = append(reply.Body.Warnings, wire.Warning(w))
	}
	return reply, nil
}

// knownFields refuses a form with fields that mean nothing.
func knownFields(form *multipart.Form, known ...string) error {
	for _, name := range slices.Sorted(maps.Keys(form.Value)) {
		if !slices.Contains(known, name) {
			return invalid("body."+name, fmt.Sprintf("there is no field %q", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(form.File)) {
		if !slices.Contains(known, name) {
			return invalid("body."+name, fmt.Sprintf("there is no field %q", name))
		}
	}
	return nil
}

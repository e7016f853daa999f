package api

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"bestpick/answers"
	"bestpick/api/wire"
	"bestpick/catalogue"
	"bestpick/study"
)

// contentType is that of an export.
func contentType(format answers.Format) string {
	switch format {
	case answers.CSV:
		return "text/csv; charset=utf-8"
	case answers.JSONLines:
		return "application/jsonl"
	case answers.Parquet:
		return "application/vnd.apache.parquet"
	}
	panic("api: there is no format " + string(format))
}

// A formatInput asks for a file.
type formatInput struct {
	StudyPath

	Format string `query:"format" enum:"csv,jsonl,parquet" default:"csv"`
}

func (a *api) registerFiles() {
	huma.Register(a.huma, download(huma.Operation{
		OperationID: "export-log", Path: oneStudy + "/export/log", Security: owners(), Summary: "The whole study, to verify",
		Description: "JSON Lines with all outcomes and plans, from which `bestpick verify` recomputes the verdict.",
	}, contentType(answers.JSONLines)), a.exportLog)
	all := []string{contentType(answers.CSV), contentType(answers.JSONLines), contentType(answers.Parquet)}
	huma.Register(a.huma, download(huma.Operation{
		OperationID: "export-answers", Path: oneStudy + "/export/answers", Security: owners(), Summary: "What became of every question that was asked",
	}, all...), a.exportAnswers)
	huma.Register(a.huma, download(huma.Operation{
		OperationID: "export-arms", Path: oneStudy + "/export/arms", Security: viewers(), Summary: "The arms, in the owner's columns",
	}, all...), a.exportArms)
	huma.Register(a.huma, upload(huma.Operation{
		OperationID: "import-answers", Method: http.MethodPost, Path: oneStudy + "/import", Tags: []string{tagFiles}, Security: owners(),
		Summary:     "Import answers that were recorded elsewhere",
		Description: "All or none. They count like others, so whether an answer is in the file must not depend on what was picked. A batch is imported once.",
	}), a.importAnswers)
}

// download makes an operation one that replies with a file.
func download(operation huma.Operation, types ...string) huma.Operation {
	operation.Method, operation.Tags = http.MethodGet, []string{tagFiles}
	content := map[string]*huma.MediaType{}
	for _, kind := range types {
		content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	operation.Responses = map[string]*huma.Response{"200": {Description: "The file.", Content: content}}
	return operation
}

// stream replies with a file that is written as it is read. If something fails on the way the connection is
// cut, so that nobody takes a part for the whole.
func (a *api) stream(ctx context.Context, name string, format answers.Format, write func(w io.Writer) error) *huma.StreamResponse {
	note(ctx, string(format))
	return &huma.StreamResponse{Body: func(reply huma.Context) {
		reply.SetHeader("Content-Type", contentType(format))
		reply.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name + "." + string(format)}))
		reply.SetStatus(http.StatusOK)
		if reply.Method() == http.MethodHead {
			return
		}
		if err := write(reply.BodyWriter()); err != nil {
			if ctx.Err() == nil {
				a.Log.Error("an export failed", "file", name, "error", err)
			}
			panic(http.ErrAbortHandler)
		}
	}}
}

func (a *api) exportLog(ctx context.Context, in *StudyPath) (*huma.StreamResponse, error) {
	s, err := a.studies.Study(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	return a.stream(ctx, s.ID, answers.JSONLines, func(w io.Writer) error { return a.studies.Export(ctx, s.ID, w) }), nil
}

// exportAnswers looks how far the log goes before it reads the arms, so that it knows all that are in it.
func (a *api) exportAnswers(ctx context.Context, in *formatInput) (*huma.StreamResponse, error) {
	extent, err := a.studies.Extent(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	s, err := a.studies.Study(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	arms, err := a.studies.Arms(ctx, s)
	if err != nil {
		return nil, a.problem(err)
	}
	format := answers.Format(in.Format)
	return a.stream(ctx, s.ID+"-answers", format, func(w io.Writer) error {
		out := answers.NewWriter(w, format, extent.Shown, extent.Picks)
		for o, err := range a.studies.Standing(ctx, s.ID, extent) {
			if err != nil {
				return err
			}
			if err := out.Write(writeAnswer(o, arms)); err != nil {
				return err
			}
		}
		return out.Close()
	}), nil
}

func writeAnswer(o study.Outcome, arms *catalogue.Saved) answers.Row {
	row := answers.Row{
		Number: o.Number, Kind: string(o.Kind), Question: int64(o.Position), Plan: o.Plan,
		Respondent: o.Respondent, Segment: o.Segment, Asked: o.Asked, At: o.At,
	}
	for _, arm := range o.Shown {
		row.Shown = append(row.Shown, arms.Arms.ID(arm))
	}
	for _, slot := range o.Picks {
		row.Picks = append(row.Picks, row.Shown[slot])
	}
	return row
}

func (a *api) exportArms(ctx context.Context, in *formatInput) (*huma.StreamResponse, error) {
	s, err := a.studies.Study(ctx, in.Study)
	if err != nil {
		return nil, a.problem(err)
	}
	arms, err := a.studies.Arms(ctx, s)
	if err != nil {
		return nil, a.problem(err)
	}
	if arms.Profiles != nil && arms.Arms.Len() > catalogue.MostListed {
		return nil, problem(http.StatusConflict, wire.Invalid, fmt.Sprintf("there are %d profiles, and at most %d can be listed", arms.Arms.Len(), catalogue.MostListed))
	}
	format, err := catalogue.ParseFormat(in.Format)
	if err != nil {
		return nil, invalid("query.format", err.Error())
	}
	withdrawn := catalogue.ExtraColumn{Name: "withdrawn", Value: func(arm int) string { return strconv.FormatBool(slices.Contains(s.Withdrawn, arm)) }}
	return a.stream(ctx, s.ID+"-arms", answers.Format(in.Format), func(w io.Writer) error {
		return catalogue.WriteArms(w, arms, format, withdrawn)
	}), nil
}
